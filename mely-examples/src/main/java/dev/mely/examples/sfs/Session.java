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
 * A client of the server. Its requests are worked off one at a time, in their order; while one
 * waits for the disk, the answers before it are encrypted and sent. All of it is in the default
 * color.
 */
final class Session implements ConnectionUser, Clients.Member, Leases.Holder {
  /** With so many requests waiting, no more are read. */
  private static final int MAX_WAITING = 32;

  private final SfsServer server;
  private final SecureConnection connection;
  private final Handler<Operation<Answer>> done =
      Handler.<Operation<Answer>>of(this::done).named("Done");
  private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();

  /** Null until the client is known. */
  private @Nullable Requests requests;

  /** Null until the client is known. */
  private @Nullable Line line;

  /** A request waits for the disk. */
  private boolean busy;

  private int number;
  private long asked;

  /** No more requests are taken: the client has said so, or the server stops. */
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

  // ---- What the connection tells

  @Override
  public void established(PublicId peer) {
    lastHeard = System.nanoTime();
    Boolean writable = server.config().clients().mayWrite().get(peer);
    if (writable == null) {
      connection.send(Message.unasked(Message.REFUSED).text("This key is not known here.").bytes());
      server.turnedAway.increment();
      finish();
      return;
    }
    requests = new Requests(server.volume(), writable);
    line = server.line(peer);
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
      connection.end(new ProtocolViolation("a message that is no request"));
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
      if (line != null && line.drop(this)) {
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
    if (requests == null || line == null || !requests.hasOpen()) {
      return;
    }
    if (closingFiles) {
      requests.closeAll(); // the helper threads could not
      return;
    }
    closingFiles = true;
    busy = true;
    Requests files = requests;
    line.call(
        this,
        () -> {
          files.closeAll();
          return Answer.changed(List.of()); // of no interest
        });
  }

  // ---- Requests

  private boolean hasWork() {
    return !waiting.isEmpty() && !connection.isFull();
  }

  private void next() {
    while (!busy && !ended && requests != null && line != null && hasWork()) {
      byte[] message = waiting.remove();
      number = Message.number(message);
      try {
        Volume.Action action = requests.parse(message);
        busy = true;
        asked = System.nanoTime();
        line.call(this, action);
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

  /** Takes the result of a file operation, and tells the line that it is over. */
  Handler<Operation<Answer>> done() {
    return done;
  }

  /** A file operation is over. */
  private void done(Operation<Answer> operation) {
    try {
      if (line != null) {
        line.over(this);
      }
    } finally {
      take(operation);
    }
  }

  private void take(Operation<Answer> operation) {
    try {
      busy = false;
      lastHeard = System.nanoTime(); // the client has waited for us, not we for it
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

  /** An operation could not be handed to a helper thread; there will be no result. */
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

  /** Somebody else has changed what this client has cached. */
  @Override
  public void broken(long lease) {
    try {
      connection.send(Message.unasked(Message.BROKEN).u64(lease).bytes());
    } catch (Throwable t) {
      connection.end(t); // what it has cached is worth nothing then
    }
  }

  // ---- The end

  /** The server stops: strangers end at once. Any thread. */
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

  /** Left to the end of the runtime, and to {@link #abandon}. */
  @Override
  public void kill() {}

  /** Takes no more requests; answers those that wait, and ends. */
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

  /** Ends if the client has been silent, or has read nothing, for too long. */
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

  /** The runtime has ended before this session could. */
  void abandon() {
    if (requests != null) {
      requests.closeAll();
    }
  }
}
