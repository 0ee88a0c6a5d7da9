package dev.mely.examples.sfs;

import dev.mely.Handler;
import dev.mely.examples.service.Clients;
import dev.mely.nio.Operation;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection to the server. Handles its requests one at a time, in order; while one
 * waits for the disk, earlier answers are encrypted and sent. Belongs to the default color.
 */
final class Session implements ConnectionUser, Clients.Member, Leases.Holder {
  /** From this many waiting requests on, no more are read. */
  private static final int MAX_WAITING = 32;

  private final SfsServer server;
  private final SecureConnection connection;
  private final Handler<Operation<Answer>> done =
      Handler.<Operation<Answer>>of(this::done).named("Done");
  private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();

  /** Null until the handshake is complete. */
  private @Nullable Requests requests;

  /** Null until the handshake is complete. */
  private @Nullable ClientQueue queue;

  /** A request waits for the disk. */
  private boolean busy;

  private int number;
  private long asked;

  /** No more requests are accepted: the client has closed, or the server stops. */
  private boolean draining;

  private boolean closing;
  private boolean ended;

  /** The connection has ended, and a helper thread closes its files. */
  private boolean closingFiles;

  private long lastHeard = System.nanoTime();

  Session(SfsServer server, SocketChannel channel) throws IOException {
    this.server = server;
    this.connection =
        new SecureConnection(
            server.nio(),
            channel,
            server.color(),
            new ServerHandshake(server.config().identity(), server.config().rekey()),
            this);
  }

  void start() {
    try {
      connection.start();
    } catch (Throwable t) {
      connection.end(t);
      throw t;
    }
  }

  // ---- Called by the connection

  @Override
  public void established(PublicId peer) {
    lastHeard = System.nanoTime();
    Boolean writable = server.config().clients().mayWrite().get(peer);
    if (writable == null) {
      connection.send(
          Message.unasked(Message.REFUSED).text("This server does not know this key.").bytes());
      server.turnedAway.increment();
      finish();
      return;
    }
    requests = new Requests(server.volume(), writable);
    queue = server.queue(peer);
    server.admitted(this);
    connection.send(
        Message.unasked(Message.WELCOME)
            .u8(writable ? Message.MAY_WRITE : 0)
            .u32(server.leases().millis())
            .u32(Message.MAX_DATA)
            .bytes());
  }

  @Override
  public void message(byte[] message) {
    if (draining) {
      return;
    }
    if (requests == null || message.length < Message.FIELDS) {
      connection.end(new ProtocolViolation("a message that is not a request"));
      return;
    }
    lastHeard = System.nanoTime();
    waiting.add(message);
    if (waiting.size() >= MAX_WAITING) {
      connection.pauseReading();
    }
    next();
  }

  @Override
  public void drained() {
    next();
  }

  @Override
  public void peerClosed() {
    finish();
  }

  @Override
  public void ended(@Nullable Throwable why) {
    ended = true;
    draining = true;
    waiting.clear();
    try {
      server.leases().forget(this);
      if (queue != null && queue.drop(this)) {
        busy = false;
      }
      if (!busy) {
        closeFiles();
      }
    } finally {
      server.ended(this, why);
    }
  }

  private void closeFiles() {
    if (requests == null || queue == null || !requests.hasOpen()) {
      return;
    }
    if (closingFiles) {
      requests.closeAll(); // the helper threads could not
      return;
    }
    closingFiles = true;
    busy = true;
    Requests files = requests;
    queue.call(
        this,
        () -> {
          files.closeAll();
          return Answer.changed(List.of()); // ignored
        });
  }

  // ---- Requests

  private boolean hasWork() {
    return !waiting.isEmpty() && !connection.isFull();
  }

  private void next() {
    while (!busy && !ended && requests != null && queue != null && hasWork()) {
      byte[] message = waiting.remove();
      number = Message.number(message);
      try {
        Volume.Action action = requests.parse(message);
        busy = true;
        asked = System.nanoTime();
        queue.call(this, action);
      } catch (SfsException e) {
        reply(Volume.failed(e));
      } catch (ProtocolViolation e) {
        reply(Answer.of(Status.BAD_REQUEST, String.valueOf(e.getMessage())));
      }
    }
    if (!draining && waiting.size() < MAX_WAITING) {
      connection.resumeReading();
    }
    closeIfDone();
  }

  /** The handler for the result of a file operation, which also starts the next one. */
  Handler<Operation<Answer>> done() {
    return done;
  }

  /** A file operation is complete. */
  private void done(Operation<Answer> operation) {
    try {
      if (queue != null) {
        queue.over(this);
      }
    } finally {
      take(operation);
    }
  }

  private void take(Operation<Answer> operation) {
    try {
      busy = false;
      lastHeard = System.nanoTime(); // the client was waiting for the server
      answered(Volume.attempt(operation::get));
    } catch (Throwable t) {
      connection.end(t);
      throw t;
    }
  }

  private void answered(Answer answer) {
    if (requests != null) {
      int handle = requests.over(answer.opened());
      if (handle != 0) {
        Message.handle(answer.reply(), handle);
      }
    }
    for (Object key : answer.changed()) {
      server.leases().broken(key, this);
    }
    if (ended) {
      closeFiles();
      return;
    }
    if (answer.leased() != null) {
      long lease = server.leases().grant(this, answer.leased(), asked);
      Message.lease(answer.reply(), lease, lease == 0 ? 0 : server.leases().millis());
    }
    reply(answer);
    next();
  }

  /** An operation could not be passed to a helper thread; there will be no result. */
  void unanswered(Throwable why) {
    busy = false;
    closingFiles = true;
    connection.end(why);
    closeFiles();
  }

  private void reply(Answer answer) {
    Message.number(answer.reply(), number);
    server.answers.increment();
    connection.send(answer.reply());
  }

  /** Another client has changed a file that this client has cached. */
  @Override
  public void broken(long lease) {
    try {
      connection.send(Message.unasked(Message.BROKEN).u64(lease).bytes());
    } catch (Throwable t) {
      connection.end(t); // without callbacks, its cache would become stale
    }
  }

  // ---- The end

  /** The server stops: sessions without a complete handshake end at once. Any thread. */
  @Override
  public void stop() {
    Runnable step =
        () -> {
          if (requests == null) {
            end(new IOException("the server stops"));
          } else {
            finish();
          }
        };
    server.nio().mely().execute(server.color(), step);
  }

  /** Does nothing: the runtime's shutdown and {@link #abandon} end the session. */
  @Override
  public void kill() {}

  /** Accepts no more requests; answers the waiting ones, and ends. */
  private void finish() {
    draining = true;
    closeIfDone();
  }

  private void closeIfDone() {
    if (draining && !closing && !busy && waiting.isEmpty() && !ended) {
      closing = true;
      lastHeard = System.nanoTime();
      connection.close();
    }
  }

  /** Ends at once. */
  void end(Throwable why) {
    connection.end(why);
  }

  /** Ends if the client has sent nothing, or read nothing, for too long. */
  void check(long now) {
    SfsConfig config = server.config();
    Throwable broken = connection.broken();
    long limit =
        requests == null || closing ? config.handshake().toNanos() : config.idleTimeout().toNanos();
    if (broken != null) {
      end(broken);
    } else if (connection.isStalled()
        && now - connection.lastProgress() > config.idleTimeout().toNanos()) {
      end(new IOException("the client reads nothing"));
    } else if (!busy && !connection.isStalled() && now - lastHeard > limit) {
      end(new IOException("the client says nothing"));
    }
  }

  /** The runtime has ended before this session: closes its files. */
  void abandon() {
    if (requests != null) {
      requests.closeAll();
    }
  }
}
