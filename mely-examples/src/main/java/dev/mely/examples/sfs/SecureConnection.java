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
 * <p>It is colored as SFS was for libasync-smp (USENIX 2003, section 5.3). Its user, and all state
 * that the user shares between connections, has one color, the <em>shared</em> one (for a server,
 * the default color); so the user handles one event at a time and needs no lock. Receiving is split
 * into two handlers and sending into three; only RECEIVE and ENCRYPT, which do all the
 * cryptography, run in the connection's <em>own</em> color, in parallel with other connections:
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
 * <p>Each field below belongs to one of the two colors.
 */
final class SecureConnection {
  /** A batch takes messages until it has this size: one long message, or many short ones. */
  private static final int BATCH_BYTES = 64 << 10;

  /** From this many unsent bytes on, {@link #isFull} asks the user to wait. */
  private static final int FULL_BYTES = 256 << 10;

  private static final byte[] CLOSE = {Records.CLOSE};

  // One handler for all connections, so that the runtime learns its cost once.
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
   * Makes the handler of a step. Any exception or error (such as a lack of memory) ends the
   * connection: the step is incomplete, and later ones depend on it.
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

  /** Reports that a step of this color has failed; preallocated, for a lack of memory. */
  private final Received lost = new Received();

  /** Why it has failed. Written in the own color, once. */
  private volatile @Nullable Throwable broken;

  // ---- Shared color

  /** Sent by the user, not yet in a batch. */
  private final ArrayDeque<byte[]> queue = new ArrayDeque<>();

  private final Unwritten outgoing = new Unwritten();

  /** Bytes of messages in the queue, in a batch, or outgoing. */
  private long unsent;

  private boolean gathering;

  /** The batch that is being encrypted, or waits for that; or null. */
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
   * @param user is told of the handshake, and takes the messages
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

  /** Starts the handshake. In the shared color, once; the own color has no events yet. */
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

  /**
   * A step of this color has failed. If no event can be registered, the user finds it by polling.
   */
  private void lost(Throwable why) {
    if (broken == null) {
      broken = why;
      in.cancel();
      nio.mely().registerUrgent(shared, PROCESS, lost);
    }
  }

  /** Why a step of the own color has failed, which must end the connection; or null. */
  @Nullable Throwable broken() {
    return broken;
  }

  // ---- Receiving, second handler: shared color

  /** The results of one run of the first handler. */
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
          encrypting.drop(); // the own color has finished with it
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

  /** Stops reading until {@link #resumeReading}; one more event may already be registered. */
  void pauseReading() {
    in.pause();
  }

  void resumeReading() {
    in.resume();
  }

  // ---- Sending, first handler: shared color

  /**
   * Sends a message, after those before it.
   *
   * @param message its first byte is the type of the record; must not be modified any more
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

  /** Whether so much is unsent that the user should wait. */
  boolean isFull() {
    return unsent >= FULL_BYTES;
  }

  private void gatherSoon() {
    if (established && !gathering && encrypting == null && !queue.isEmpty()) {
      gathering = true;
      nio.mely().register(shared, GATHER, this);
    }
  }

  /** Moves messages into a batch, which then belongs to the own color. */
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

  /** Messages that pass through both colors. */
  private final class Batch extends Event {
    private final List<byte[]> messages = new ArrayList<>();
    private int size;

    /** The encrypted records; for a step of the handshake set from the start. */
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
      records = target; // at once, so that it is freed after any failure
      for (byte[] message : messages) {
        sealer.seal(message, target.memory());
        Stages.freed("answer", message.length);
      }
      target.memory().flip();
      nio.mely().register(shared, WRITE, this);
    }

    /** Frees the records, which will not be written. */
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

  /** Writes as much as the socket accepts. */
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

  /** Closes the sending side after all messages, and ends when the other side has closed, too. */
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
      // The channel is closed in any case.
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

  /** Since when unsent bytes have been waiting for the other side, as {@link System#nanoTime}. */
  long lastProgress() {
    return outgoing.lastProgress();
  }

  /** Whether the socket has not accepted all output. */
  boolean isStalled() {
    return !outgoing.isEmpty();
  }
}
