package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.examples.service.PlannedBuffer;
import dev.mely.nio.Nio;
import dev.mely.nio.Source;
import dev.mely.stage.Stages;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A connection on which every message is encrypted and authenticated; the same at both ends.
 *
 * <p>It is colored as SFS was for libasync-smp (USENIX 2003, section 5.3). Its user and all that
 * the user shares between connections is in one color, the <em>shared</em> one, for a server the
 * default color; so its user sees one event at a time and needs no lock. Receiving is split in two
 * handlers and sending in three, and only those in the middle, which do all the cryptography, run
 * in the connection's <em>own</em> color, in parallel with other connections':
 *
 * <pre>
 *   own                                shared
 *   RECEIVE  read, decrypt  --urgent--&gt; PROCESS  the user's handler
 *
 *                                       GATHER   takes messages out of the queue into a batch
 *   ENCRYPT  the batch      &lt;---------
 *                           ---------&gt;  WRITE    to the socket (WRITABLE: when it has room again)
 * </pre>
 *
 * <p>The fields below belong to one of the two colors each; none is touched by both.
 */
final class SecureConnection {
  /** A batch takes messages until it is at least so long: one long message, or many short ones. */
  private static final int BATCH_BYTES = 64 << 10;

  /** With so much unsent, {@link #isFull} asks the user to wait. */
  private static final int FULL_BYTES = 256 << 10;

  private static final byte[] CLOSE = {Records.CLOSE};

  // One handler for all connections: the runtime learns what each kind of work costs.
  private static final Handler<SecureConnection> RECEIVE =
      step("Receive", SecureConnection::receive, c -> c, SecureConnection::lost);
  private static final Handler<Received> PROCESS =
      step("Process", Received::process, Received::connection, SecureConnection::end);
  private static final Handler<SecureConnection> GATHER =
      step("Gather", SecureConnection::gather, c -> c, SecureConnection::end);
  private static final Handler<Batch> ENCRYPT =
      step("Encrypt", Batch::encrypt, Batch::connection, SecureConnection::lost);
  private static final Handler<Batch> WRITE =
      step("Write", Batch::write, Batch::connection, SecureConnection::end);
  private static final Handler<SecureConnection> WRITABLE =
      step("Flush", SecureConnection::flush, c -> c, SecureConnection::end);

  /**
   * Makes the handler of a step. Whatever it throws, for lack of memory also an {@code Error}, ends
   * the connection: what the step was about to do is not done, and nothing after it can be right.
   */
  private static <E> Handler<E> step(
      String name,
      Consumer<E> step,
      Function<E, SecureConnection> connection,
      BiConsumer<SecureConnection, Throwable> end) {
    return Handler.of(
            (E event) -> {
              try {
                step.accept(event);
              } catch (Throwable t) {
                end.accept(connection.apply(event), t);
                throw t;
              }
            })
        .named(name);
  }

  private final Nio nio;
  private final SocketChannel channel;
  private final Color own;
  private final Color shared;
  private final ConnectionUser user;
  private final Source in;
  private final Source out;

  // ---- Own color

  private final Handshake handshake;
  private final Incoming incoming;

  /** Says that a step of this color has failed; there from the beginning, as memory may not be. */
  private final Received lost = new Received();

  /** Why it has. Written in the own color, once. */
  private volatile @Nullable Throwable broken;

  // ---- Shared color

  /** What the user has sent and no batch has taken. */
  private final ArrayDeque<byte[]> queue = new ArrayDeque<>();

  private final Unwritten outgoing = new Unwritten();

  /** Bytes of messages in the queue, in a batch, or outgoing. */
  private long unsent;

  private boolean gathering;

  /** A batch that is being encrypted, or waits for that. */
  private @Nullable Batch encrypting;

  private boolean established;
  private boolean closing;
  private boolean closeSent;
  private boolean peerClosed;
  private boolean ended;

  /**
   * Takes a connected channel. In the shared color.
   *
   * @param shared the color of the user
   * @param user gives the handshake its due, and takes the messages
   */
  SecureConnection(
      Nio nio, SocketChannel channel, Color shared, Handshake handshake, ConnectionUser user)
      throws IOException {
    this.nio = nio;
    this.channel = channel;
    this.own = nio.mely().newColor();
    this.shared = shared;
    this.handshake = handshake;
    this.incoming = new Incoming(handshake);
    this.user = user;
    in = nio.readable(channel, own, RECEIVE, this);
    out = nio.writable(channel, shared, WRITABLE, this);
  }

  /** Begins. In the shared color, once; nobody else knows the handshake yet. */
  void start() {
    for (byte[] record : handshake.start()) {
      push(buffer(record));
    }
    flush();
    in.resume();
  }

  // ---- Receiving, first handler: own color

  private void receive() {
    Received received = new Received();
    List<byte[]> steps = new ArrayList<>();
    boolean known = handshake.isComplete();
    try {
      boolean end = incoming.readFrom(channel, steps, received.messages);
      for (byte[] step : steps) {
        Batch batch = new Batch();
        batch.records = buffer(step);
        nio.mely().register(shared, WRITE, batch);
      }
      received.peer = known ? null : handshake.peer();
      received.closed = incoming.isClosed();
      if (end) {
        in.cancel();
        if (!received.closed || incoming.isCut()) {
          throw new EOFException("the connection was cut off");
        }
      }
    } catch (IOException e) {
      received.failure = e;
      in.cancel();
    }
    if (received.hasNews()) {
      nio.mely().registerUrgent(shared, PROCESS, received);
    }
  }

  /** A step of this color has failed. Should there be no memory to say so, the user looks. */
  private void lost(Throwable why) {
    if (broken == null) {
      broken = why;
      in.cancel();
      nio.mely().registerUrgent(shared, PROCESS, lost);
    }
  }

  /** Why a step of the own color has failed, which ought to have ended the connection; or null. */
  @Nullable Throwable broken() {
    return broken;
  }

  // ---- Receiving, second handler: shared color

  /** What one turn of the first handler has brought. */
  private final class Received extends Event {
    private final List<byte[]> messages = new ArrayList<>();
    private @Nullable PublicId peer;
    private boolean closed;
    private @Nullable IOException failure;

    private boolean hasNews() {
      return peer != null || !messages.isEmpty() || closed || failure != null;
    }

    private SecureConnection connection() {
      return SecureConnection.this;
    }

    private void process() {
      if (broken != null) {
        end(broken);
        if (encrypting != null) {
          encrypting.drop(); // that color does nothing more with it
        }
      }
      if (ended) {
        return;
      }
      if (peer != null) {
        established = true;
        user.established(peer);
        gatherSoon();
      }
      for (byte[] message : messages) {
        if (!ended) {
          user.message(message);
        }
        Stages.freed("request", message.length);
      }
      if (closed && !peerClosed && !ended) {
        peerClosed = true;
        user.peerClosed();
        endIfDone();
      }
      if (failure != null) {
        end(failure);
      }
    }
  }

  /** Reads no more, until {@link #resumeReading}; one event may be on its way. */
  void pauseReading() {
    in.pause();
  }

  void resumeReading() {
    in.resume();
  }

  // ---- Sending, first handler: shared color

  /**
   * Sends a message, when those before it have been sent.
   *
   * @param message its first byte is the type of the record; nobody may change it any more
   */
  void send(byte[] message) {
    if (ended || closing) {
      return;
    }
    queue.add(message);
    Stages.allocated("answer", message.length);
    unsent += message.length;
    gatherSoon();
  }

  /** Whether more is unsent than should be. */
  boolean isFull() {
    return unsent >= FULL_BYTES;
  }

  private void gatherSoon() {
    if (established && !gathering && encrypting == null && !queue.isEmpty()) {
      gathering = true;
      nio.mely().register(shared, GATHER, this);
    }
  }

  /** Moves messages into a batch of this connection, which nobody else sees from then on. */
  private void gather() {
    gathering = false;
    if (ended || queue.isEmpty()) {
      return;
    }
    Batch batch = new Batch();
    while (!queue.isEmpty() && batch.size < BATCH_BYTES) {
      byte[] message = queue.remove();
      batch.messages.add(message);
      batch.size += message.length;
      closeSent |= message == CLOSE;
    }
    encrypting = batch;
    nio.mely().register(own, ENCRYPT, batch);
  }

  /** Messages on their way through the colors. */
  private final class Batch extends Event {
    private final List<byte[]> messages = new ArrayList<>();
    private int size;

    /** Of a step of the handshake there from the beginning: it needs no encryption any more. */
    private @Nullable PlannedBuffer records;

    private SecureConnection connection() {
      return SecureConnection.this;
    }

    // ---- Second handler: own color

    private void encrypt() {
      Sealer sealer = handshake.sealer();
      if (sealer == null || broken != null || !channel.isOpen()) {
        return;
      }
      int room = 0;
      for (byte[] message : messages) {
        room += Sealer.sealedSize(message);
      }
      PlannedBuffer target = PlannedBuffer.take(nio.mely(), "records", room, 0);
      records = target; // at once: whatever happens, it is given back
      for (byte[] message : messages) {
        sealer.seal(message, target.memory());
        Stages.freed("answer", message.length);
      }
      target.memory().flip();
      nio.mely().register(shared, WRITE, this);
    }

    /** Nobody will write them. */
    private void drop() {
      PlannedBuffer old = records;
      records = null;
      if (old != null) {
        old.free();
      }
    }

    // ---- Third handler: shared color

    private void write() {
      if (encrypting == this) {
        encrypting = null;
      }
      PlannedBuffer sealed = records;
      if (ended || sealed == null) {
        drop();
        return;
      }
      records = null;
      unsent -= size;
      push(sealed);
      flush();
      gatherSoon();
    }
  }

  private static PlannedBuffer buffer(byte[] record) {
    return PlannedBuffer.of("step", ByteBuffer.wrap(record), 0);
  }

  private void push(PlannedBuffer records) {
    unsent += records.memory().remaining();
    outgoing.add(records);
  }

  /** Writes what the socket takes. */
  private void flush() {
    if (ended) {
      return;
    }
    boolean full = isFull();
    try {
      unsent -= outgoing.writeTo(channel);
      if (outgoing.isEmpty()) {
        out.pause();
        endIfDone();
      } else {
        out.resume();
      }
    } catch (IOException e) {
      end(e);
    }
    if (full && !isFull() && !ended) {
      user.drained();
    }
  }

  // ---- The end: shared color

  /**
   * Sends what was sent, says that nothing more will come, and ends when the other side has, too.
   */
  void close() {
    if (!established) {
      end(null);
    } else if (!closing) {
      send(CLOSE);
      closing = true;
      in.resume();
    }
  }

  private void endIfDone() {
    if (closeSent && peerClosed && encrypting == null && outgoing.isEmpty()) {
      end(null);
    }
  }

  /** Ends at once. */
  void end(@Nullable Throwable why) {
    if (ended) {
      return;
    }
    ended = true;
    try {
      nio.close(channel);
    } catch (IOException e) {
      // It is given up in any case.
    } finally {
      release(why);
    }
  }

  private void release(@Nullable Throwable why) {
    try {
      queue.clear();
      outgoing.free();
      unsent = 0;
    } finally {
      user.ended(why);
    }
  }

  /** Since when unsent bytes wait for the other side, as {@link System#nanoTime}. */
  long lastProgress() {
    return outgoing.lastProgress();
  }

  /** Whether the socket has taken less than there is. */
  boolean isStalled() {
    return !outgoing.isEmpty();
  }
}
