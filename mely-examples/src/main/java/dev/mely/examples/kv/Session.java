package dev.mely.examples.kv;

import dev.mely.Mely;
import dev.mely.examples.service.Connection;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that speaks the Redis protocol; in its color. It reads commands, sends them on their
 * {@link Walk}, and sends the answers that this brings back. One walk is under way at a time.
 */
final class Session implements dev.mely.examples.service.Session {
  private static final Logger LOG = LoggerFactory.getLogger(Session.class);

  /** While more commands than that wait, in bytes, nothing is read. */
  private static final long MUCH_WAITING = 1 << 20;

  /** While more than that has not left, in bytes, no command is done. */
  private static final long MUCH_UNSENT = 1 << 20;

  private static final ThreadLocal<byte[]> INPUT = ThreadLocal.withInitial(() -> new byte[0]);

  private final Connection connection;
  private final KvConfig config;
  private final Consumer<Session> whenClosed;
  private final RequestReader reader;
  private final Reply reply;
  private final Client client;
  private final Walk walk;

  private ArrayDeque<byte[][]> waiting = new ArrayDeque<>();
  private long waitingBytes;
  private boolean walking;
  private boolean paused;

  /** Why there can be no more commands. */
  private @Nullable String refusal;

  private boolean ended;
  private boolean closed;
  private boolean left;

  /** Messages that are on their way here, in bytes. */
  private final AtomicLong coming = new AtomicLong();

  private volatile boolean dropping;

  private volatile boolean resp3;

  /** Answers wait for a client that does not read. */
  private volatile boolean stalled;

  /** How much was given to the connection, in bytes. */
  private long sent;

  /** How much of that a stalled client had taken when it was last looked at. */
  private long takenBefore;

  private long stalledSince;

  Session(
      Connection connection,
      Mely mely,
      Store store,
      CommandTable table,
      KvConfig config,
      long id,
      Consumer<Session> whenClosed) {
    this.connection = connection;
    this.config = config;
    this.whenClosed = whenClosed;
    reader = new RequestReader(config.maxBulk(), config.maxCommand());
    reply = new Reply(config.maxReply());
    client = new Client(id);
    walk = new Walk(mely, store, table, this, client, reply);
  }

  // ---- From the client

  @Override
  public void received(ByteBuffer bytes) {
    if (refusal != null || client.quit) {
      return;
    }
    byte[] in = INPUT.get();
    int length = bytes.remaining();
    if (in.length < length) {
      in = new byte[bytes.capacity()];
      INPUT.set(in);
    }
    bytes.get(in, 0, length);
    try {
      waitingBytes += reader.take(in, 0, length, waiting);
    } catch (ProtocolError e) {
      refusal = "ERR Protocol error: " + e.getMessage();
    }
    proceed();
  }

  @Override
  public void drained() {
    stalled = false;
    proceed();
  }

  @Override
  public void ended() {
    ended = true;
    proceed();
  }

  @Override
  public void closed() {
    closed = true;
    stalled = false;
    waiting.clear();
    proceed();
  }

  // ---- Walks

  /** Lets commands be done, as many as there are; then reads on, or ends. */
  private void proceed() {
    while (!walking) {
      if (closed) {
        leave();
        return;
      }
      if (connection.unsent() > MUCH_UNSENT) {
        pause();
        return;
      }
      if (client.quit || (!walk.hasMore() && waiting.isEmpty())) {
        rest();
        return;
      }
      if (!walk.hasMore()) {
        waiting = walk.give(waiting);
        waitingBytes = 0;
      }
      walking = !walk.start();
      if (!walking) {
        answer();
      }
    }
    if (waitingBytes > MUCH_WAITING) {
      pause();
    }
  }

  /** All that has come is answered. */
  private void rest() {
    if (refusal != null) {
      reply.error(refusal);
      answer();
      connection.finish();
    } else if (client.quit || ended) {
      connection.finish();
    } else if (paused) {
      paused = false;
      connection.resume();
    }
  }

  private void pause() {
    if (!paused) {
      paused = true;
      connection.pause();
    }
  }

  /** The walk is back. */
  void back() {
    walking = false;
    if (!closed) {
      answer();
    }
    proceed();
  }

  private void answer() {
    if (reply.isOverflown()) {
      LOG.warn("a client is dropped: an answer has more than {} bytes", config.maxReply());
      client.quit = true;
      walk.forget();
      connection.abort();
    } else if (reply.size() > 0) {
      sent += reply.size();
      connection.send(reply.lend());
      if (connection.unsent() == 0) {
        reply.reuse();
      } else {
        reply.take();
        stalled();
      }
    }
  }

  /** What it has left in other colors is taken back; the last of all. */
  private void leave() {
    if (!left) {
      left = true;
      whenClosed.accept(this);
      walk.forget();
      client.queue = null;
      if (client.subscriptions() > 0 || !client.watches.isEmpty()) {
        walking = !walk.leave();
      }
    }
  }

  // ---- From elsewhere, any color

  /** The walk comes back. */
  void comeBack(Walk done) {
    connection.execute(done);
  }

  /** The walk has failed; nobody knows what was done. */
  void broken() {
    connection.execute(
        () -> {
          walking = false;
          walk.forget();
          connection.abort();
          if (closed) {
            leave();
          }
        });
  }

  /** What the walk has so far is sent, before what anybody sends from there later. */
  void sendFromHere(Reply answers) {
    ByteBuffer bytes = answers.take();
    connection.execute(() -> send(bytes));
  }

  boolean isResp3() {
    return resp3;
  }

  void resp3(boolean on) {
    resp3 = on;
  }

  /**
   * Sends a message that was not asked for. A client for which more than its bound waits is
   * dropped, and so is one that cannot be told: neither keeps the publisher, or the others, from
   * anything.
   */
  void push(ByteBuffer message) {
    try {
      pushed(message);
    } catch (Throwable e) {
      LOG.warn("a subscriber is dropped: it cannot be told what it hears", e);
      abandon();
    }
  }

  /** It would miss a message, and not know. */
  private void abandon() {
    try {
      connection.execute(connection::abort);
    } catch (Throwable e) {
      LOG.warn("a subscriber could not be dropped", e);
    }
  }

  private void pushed(ByteBuffer message) {
    int length = message.remaining();
    if (coming.getAndAdd(length) <= config.maxBehind()) {
      connection.execute(
          () -> {
            coming.addAndGet(-length);
            if (connection.unsent() > config.maxBehind()) {
              drop();
            } else {
              send(message);
            }
          });
    } else if (!dropping) {
      dropping = true; // twice does no harm
      connection.execute(this::drop);
    }
  }

  private void drop() {
    if (!closed) {
      LOG.info("a subscriber is dropped: it does not read what it hears");
      connection.abort();
    }
  }

  private void send(ByteBuffer bytes) {
    sent += bytes.remaining();
    connection.send(bytes);
    if (connection.unsent() > 0) {
      stalled();
    }
  }

  // ---- Clients that do not read

  private void stalled() {
    if (!stalled) {
      stalled = true;
      takenBefore = 0;
      stalledSince = System.nanoTime();
    }
  }

  /** Called every second or so, by any thread: looks whether the client takes its answers. */
  void look() {
    if (stalled) {
      connection.execute(this::lookHere);
    }
  }

  private void lookHere() {
    if (!stalled || closed) {
      return;
    }
    long taken = sent - connection.unsent();
    long now = System.nanoTime();
    if (taken > takenBefore) {
      stalledSince = now;
    } else if (now - stalledSince > config.stallTimeout().toNanos()) {
      LOG.info("a client is dropped: it has taken nothing for {}", config.stallTimeout());
      connection.abort();
    }
    takenBefore = taken;
  }
}
