package dev.mely.examples.sfs;

import dev.mely.Handler;
import dev.mely.examples.sfs.Answer.OpenFile;
import dev.mely.nio.Operation;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A client of the server. Its requests are worked off one at a time, in their order; while one
 * waits for the disk, the answers before it are encrypted and sent. All of it is in the default
 * color.
 */
final class Session implements SecureConnection.User, Leases.Holder {
  /** With so many requests waiting, no more are read. */
  private static final int MAX_WAITING = 32;

  private final SfsServer server;
  private final SecureConnection connection;
  private final Handler<Operation<Answer>> done = Handler.named("Done", this::done);
  private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();

  /** Null until the client is known. */
  private @Nullable Requests requests;

  /** A request waits for the disk. */
  private boolean busy;

  private int number;
  private long asked;

  /** No more requests are taken: the client has said so, or the server stops. */
  private boolean draining;

  private boolean closing;
  private boolean ended;
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
    connection.start();
  }

  // ---- What the connection tells

  @Override
  public void established(PublicId peer) {
    lastHeard = System.nanoTime();
    Clients.Right right = server.config().clients().right(peer);
    if (right == null) {
      connection.send(Message.unasked(Message.REFUSED).text("This key is not known here.").bytes());
      server.refused();
      finish();
      return;
    }
    boolean writable = right == Clients.Right.WRITE;
    requests = new Requests(server.volume(), writable);
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
  public void ended(@Nullable IOException why) {
    ended = true;
    draining = true;
    waiting.clear();
    server.leases().forget(this);
    if (!busy) {
      closeFiles();
    }
    server.ended(this, why);
  }

  private void closeFiles() {
    if (requests != null && requests.hasOpenFiles()) {
      Volume.Action close = requests.close();
      busy = true; // the result is of no interest
      server.call(close, done);
    }
  }

  // ---- Requests

  private void next() {
    while (!busy && !ended && requests != null && !waiting.isEmpty() && !connection.isFull()) {
      byte[] message = waiting.remove();
      number = Message.number(message);
      try {
        Volume.Action action = requests.parse(message);
        busy = true;
        asked = System.nanoTime();
        server.call(action, done);
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

  /** A file operation is over. */
  private void done(Operation<Answer> operation) {
    busy = false;
    lastHeard = System.nanoTime(); // the client has waited for us, not we for it
    Answer answer;
    try {
      answer = operation.get();
    } catch (IOException e) {
      answer = Volume.failed(e);
    }
    for (Object key : answer.changed()) {
      server.leases().broken(key, this);
    }
    OpenFile opened = answer.opened();
    if (requests != null && opened != null) {
      Message.handle(answer.reply(), requests.add(opened));
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

  private void reply(Answer answer) {
    Message.number(answer.reply(), number);
    server.answered();
    connection.send(answer.reply());
  }

  /** Somebody else has changed what this client has cached. */
  @Override
  public void broken(long lease) {
    connection.send(Message.unasked(Message.BROKEN).u64(lease).bytes());
  }

  // ---- The end

  /** Takes no more requests; answers those that wait, and ends. */
  void finish() {
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
  void end(IOException why) {
    connection.end(why);
  }

  /** Ends if the client has been silent, or has read nothing, for too long. */
  void check(long now) {
    SfsConfig config = server.config();
    long limit = requests == null || closing ? config.handshakeNanos() : config.idleNanos();
    if (connection.isStalled() && now - connection.lastProgress() > config.idleNanos()) {
      end(new IOException("the client reads nothing"));
    } else if (!busy && !connection.isStalled() && now - lastHeard > limit) {
      end(new IOException("the client says nothing"));
    }
  }

  /** The runtime has ended before this session could. */
  void abandon() {
    if (requests != null) {
      Volume.attempt(requests.close());
    }
  }

  boolean isAdmitted() {
    return requests != null;
  }
}
