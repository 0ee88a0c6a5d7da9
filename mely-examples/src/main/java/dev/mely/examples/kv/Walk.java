package dev.mely.examples.kv;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The way of a connection's commands through the colors: one event that goes from place to place,
 * does one command where it has what this asks for, and comes back to the connection with the
 * answers.
 *
 * <pre>
 *   connection       partition 7       partitions 2, 9     the log, if it must
 *   GET a, SET b, --&gt; GET a, SET b --&gt; MSET c 1 d 2 --&gt; has it been synced? --&gt; connection:
 *   MSET c 1 d 2                                                                 answers
 * </pre>
 *
 * <p>There is one for each connection, so the commands of a connection take effect in their order,
 * and its state needs no lock. Nothing is allocated for a step over one color.
 */
final class Walk extends Event implements Runnable {
  private static final Handler<Walk> STEP = Handler.named("Step", Walk::step);

  /** Steps over several colors or through many keys take longer: their cost is learned apart. */
  private static final Handler<Walk> LONG_STEP = Handler.named("LongStep", Walk::step);

  /** So many commands in a row are done in one event. */
  private static final int MOST = 16;

  /** With so many bytes of answers it goes home before all commands are done. */
  private static final int MUCH = 1 << 20;

  /** How much a transaction may take. */
  private static final long LONGEST_TRANSACTION = 256L << 20;

  private final Mely mely;
  private final Store store;
  private final CommandTable table;
  private final Session session;
  private final Client client;
  private final Reply reply;
  private final Call call;
  private final Claims claims;

  private ArrayDeque<byte[][]> commands = new ArrayDeque<>();

  private Place here = Place.NOWHERE;
  private @Nullable Command command;
  private byte[][] words = {};
  private Place needed = Place.NOWHERE;
  private @Nullable Sweep sweep;
  private int swept = -1;
  private int done;

  Walk(Mely mely, Store store, CommandTable table, Session session, Client client, Reply reply) {
    this.mely = mely;
    this.store = store;
    this.table = table;
    this.session = session;
    this.client = client;
    this.reply = reply;
    call = new Call(store, client, reply, session);
    claims = new Claims(store);
  }

  // ---- At home, in the connection's color

  boolean hasMore() {
    return !commands.isEmpty();
  }

  /** Takes commands over; returns an empty queue for the next ones. */
  ArrayDeque<byte[][]> give(ArrayDeque<byte[][]> more) {
    ArrayDeque<byte[][]> empty = commands;
    commands = more;
    return empty;
  }

  void forget() {
    commands.clear();
  }

  /** Sets out. True: it is back, and was nowhere; else it comes back by {@link Session#back}. */
  boolean start() {
    here = Place.NOWHERE;
    return walk();
  }

  /** Sets out to take back what the client has left in other colors. */
  boolean leave() {
    here = Place.NOWHERE;
    sweep = null;
    command = ServerCommands.LEAVE;
    needed = place(ServerCommands.LEAVE);
    return walk();
  }

  @Override
  public void run() {
    session.back();
  }

  // ---- Under way

  private void step() {
    boolean well = false;
    try {
      walk();
      well = true;
    } finally {
      if (!well) {
        session.broken();
      }
    }
  }

  /** Returns true if it is at home, and has never been elsewhere. */
  private boolean walk() {
    for (int steps = 0; ; steps++) {
      Command next = command != null ? command : next();
      if (next == null) {
        return goHome();
      }
      command = next;
      if (sweep != null && swept < 0) {
        swept = sweep.next();
        if (swept < 0) {
          sweep.end(call);
          ended();
          continue;
        }
        needed = store.shared(swept);
      }
      boolean tired = steps >= MOST && here != Place.NOWHERE;
      if (tired || !here.covers(needed)) {
        here = needed;
        here.register(mely, here.isOne() ? STEP : LONG_STEP, this);
        return false;
      }
      if (sweep != null) {
        sweep.visit(store.partition(swept), call);
        swept = -1;
      } else {
        call.begin();
        call.run(next, words);
        call.commit();
        ended();
      }
    }
  }

  private void ended() {
    command = null;
    sweep = null;
    done++;
  }

  /** The next command that needs a place; those that need none are answered. Null: no more now. */
  private @Nullable Command next() {
    while (reply.size() < MUCH && !client.quit && !reply.isOverflown()) {
      byte[][] next = commands.poll();
      if (next == null) {
        return null;
      }
      words = next;
      Command found = table.find(next[0]);
      if (found == null) {
        refuse(CommandTable.unknown(next));
      } else if (!found.accepts(next)) {
        refuse(CommandFailure.arguments(found.name()).text());
      } else if (isDeaf(found)) {
        reply.error(
            "ERR Can't execute '"
                + found.name()
                + "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in"
                + " this context");
      } else if (isQueued(found)) {
        enqueue(found);
      } else if (isFlush(found) && mustBeKept()) {
        commands.addFirst(next); // what is answered so far goes first, when it has been kept
        return null;
      } else if (found.sweep() == null) {
        needed = place(found);
        return found;
      } else if (begin(found)) {
        return found;
      }
      done++;
    }
    return null;
  }

  private Place place(Command next) {
    if (next.claim() == Command.NOTHING) {
      return Place.NOWHERE;
    }
    claims.clear();
    next.claim().add(claims, words, client);
    return claims.place();
  }

  private boolean begin(Command next) {
    call.begin();
    try {
      sweep = call.sweep(next, words);
      return true;
    } catch (CommandFailure e) {
      reply.error(e.text());
      return false;
    }
  }

  private void refuse(String why) {
    client.refused = true; // means something in a transaction alone
    reply.error(why);
  }

  /** Whether somebody who has subscribed may not send this. */
  private boolean isDeaf(Command next) {
    return client.subscriptions() > 0
        && !reply.isResp3()
        && switch (next.kind()) {
          case USUAL, CONTROL -> true;
          case SUBSCRIPTION, ALWAYS, AT_ONCE -> false;
        };
  }

  private boolean isQueued(Command next) {
    return client.inTransaction()
        && next.kind() != Command.Kind.CONTROL
        && next.kind() != Command.Kind.AT_ONCE;
  }

  /** Whether its answer leaves from where it is done. */
  private static boolean isFlush(Command next) {
    return next.kind() == Command.Kind.SUBSCRIPTION || next.kind() == Command.Kind.AT_ONCE;
  }

  /** Whether there are answers that must wait for the log. */
  private boolean mustBeKept() {
    AppendLog log = store.log();
    return here != Place.NOWHERE && log != null && log.holdsAnswers();
  }

  private void enqueue(Command next) {
    if (next.kind() == Command.Kind.SUBSCRIPTION) {
      refuse("ERR Command not allowed inside a transaction");
      return;
    }
    for (byte[] word : words) {
      client.queuedBytes += word.length + 16;
    }
    if (client.queuedBytes > LONGEST_TRANSACTION) {
      client.endTransaction();
      client.multi();
      refuse("ERR the transaction is too long");
      return;
    }
    if (client.queue != null) {
      client.queue.add(new Client.Queued(next, words));
    }
    reply.simple("QUEUED");
  }

  // ---- The way back

  private boolean goHome() {
    store.commands.add(done);
    done = 0;
    if (here == Place.NOWHERE) {
      return true;
    }
    AppendLog log = store.log();
    if (log != null && log.holdsAnswers()) { // also without a change: others' may have been seen
      log.await(this); // what these answers say must have been kept
    } else {
      session.comeBack(this);
    }
    return false;
  }

  /** The log has kept what the answers say. In the log's color. */
  void kept() {
    session.comeBack(this);
  }

  /** The log has failed: nobody may be told what is not kept. In the log's color. */
  void lost() {
    session.broken();
  }
}
