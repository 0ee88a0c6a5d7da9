package dev.mely.nio;

import dev.mely.Handler;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The output of a stream channel: bytes are queued by {@link #write} and sent by {@link #flush}, as
 * many as the channel takes. The rest follows by itself, in order, whenever the channel can be
 * written again. Made by {@link Nio#output}, in the place of a source of "the channel can be
 * written", of which a channel can have one.
 *
 * <p>The handler that {@link Nio#output} is given is called when an output that had to wait has
 * sent all it had, and when it has failed meanwhile, which the next {@link #flush} throws. So a
 * server with back-pressure pauses reading while there is much {@linkplain #pending pending}, and
 * its handler resumes it; a server that ends a connection closes it once nothing is pending.
 *
 * <p>A part of a file is queued by {@link #write(FileChannel, long, long)}, and goes from the page
 * cache to the channel without a copy where the system can do that.
 *
 * <p>The queue has no bound of its own: a handler that writes has to look at what is pending, and
 * to stop reading, or to give the client up.
 *
 * <p>Not thread-safe: everything here belongs to the color that the output was made with. The
 * channel belongs to its user, who closes it; what is queued then is dropped.
 */
public final class Output {
  private static final Handler<Output> WRITABLE = Handler.of(Output::writable);

  /**
   * Most bytes that are offered at a time: the JDK copies what lies in the heap before it writes.
   */
  private static final int CHUNK = 128 * 1024;

  /** Most buffers that are offered at a time. */
  private static final int MOST = 64;

  /** What is left is written at the next event: other colors take their turn in between. */
  private static final int ROUNDS = 16;

  /** A part of a file; position and count move as it is sent. */
  private static final class Region {
    final FileChannel file;
    long position;
    long count;

    Region(FileChannel file, long position, long count) {
      this.file = file;
      this.position = position;
      this.count = count;
    }
  }

  /** Tells the user. */
  @FunctionalInterface
  interface Listener {
    void changed() throws Exception;
  }

  private final GatheringByteChannel channel;
  private final Listener listener;

  /** Each is a buffer or a {@link Region}. */
  private final Queue<Object> queue = new ArrayDeque<>();

  /** Active while the output waits. Set before the output is published, see {@link #bind}. */
  @SuppressWarnings("NullAway.Init")
  private Source writable;

  private long pending;
  private boolean waiting;
  private @Nullable IOException failure;

  Output(GatheringByteChannel channel, Listener listener) {
    this.channel = channel;
    this.listener = listener;
  }

  static Handler<Output> handler() {
    return WRITABLE;
  }

  void bind(Source source) {
    writable = source;
  }

  /**
   * Queues bytes behind those that wait already; sends nothing before the next {@link #flush}.
   * After a failure they are dropped.
   *
   * @param bytes from its position to its limit; the buffer belongs to the output from here on, and
   *     what it holds must not change
   */
  public void write(ByteBuffer bytes) {
    if (Objects.requireNonNull(bytes, "bytes").hasRemaining() && failure == null) {
      queue.add(bytes);
      pending += bytes.remaining();
    }
  }

  /**
   * Queues a part of a file behind what waits already. If the file turns out to be shorter, the
   * output fails: what was promised cannot be sent.
   *
   * @param file open for reading; its owner must not close it before the part has been sent or the
   *     output has failed
   * @param position where it begins, from 0
   * @param count how many bytes
   * @throws IllegalArgumentException if one of them is negative
   */
  public void write(FileChannel file, long position, long count) {
    Objects.requireNonNull(file, "file");
    if (position < 0 || count < 0) {
      throw new IllegalArgumentException("negative: position " + position + ", count " + count);
    }
    if (failure == null && count > 0) {
      queue.add(new Region(file, position, count));
      pending += count;
    }
  }

  /**
   * Sends as much as the channel takes; what is left follows by itself.
   *
   * @return true if all has been sent
   * @throws IOException if the channel has failed, now or while the output waited, or is closed, or
   *     has thrown anything else (no memory), which is the cause then; nothing more can be sent
   */
  public boolean flush() throws IOException {
    if (failure == null && !waiting) {
      send();
      if (!queue.isEmpty()) {
        waiting = true;
        writable.resume();
      }
    }
    if (failure != null) {
      throw failure;
    }
    return !waiting;
  }

  /**
   * Returns how much has been queued and not been sent.
   *
   * @return bytes
   */
  public long pending() {
    return pending;
  }

  /** The channel takes something again, or has failed. */
  private void writable() throws Exception {
    send();
    if (queue.isEmpty()) {
      waiting = false;
      writable.pause();
      listener.changed();
    }
  }

  /** Writes until the channel takes no more for now; after a failure nothing is queued. */
  private void send() {
    try {
      for (int i = 0; i < ROUNDS && !queue.isEmpty(); i++) {
        if (!round()) {
          return;
        }
      }
    } catch (Throwable t) {
      queue.clear();
      pending = 0;
      failure = t instanceof IOException e ? e : new IOException("the output has failed", t);
    }
  }

  /** One call of the system; false: it has taken less than it was offered. */
  private boolean round() throws IOException {
    Object first = queue.element();
    if (first instanceof Region region) {
      return region(region);
    }
    ByteBuffer bytes = (ByteBuffer) first;
    boolean alone = queue.size() == 1 || bytes.remaining() >= CHUNK;
    return alone ? single(bytes) : gathered();
  }

  private boolean region(Region region) throws IOException {
    long offered = Math.min(region.count, CHUNK);
    long sent = region.file.transferTo(region.position, offered, channel);
    if (sent == 0 && region.file.size() <= region.position) {
      throw new EOFException("the file has become shorter than what is to be sent of it");
    }
    region.position += sent;
    region.count -= sent;
    pending -= sent;
    if (region.count == 0) {
      queue.remove();
    }
    return sent == offered;
  }

  private boolean single(ByteBuffer bytes) throws IOException {
    int end = bytes.limit();
    int offered = Math.min(bytes.remaining(), CHUNK);
    int written;
    try {
      written = channel.write(bytes.limit(bytes.position() + offered));
    } finally {
      bytes.limit(end);
    }
    sent(written);
    return written == offered;
  }

  private boolean gathered() throws IOException {
    ByteBuffer[] batch = new ByteBuffer[Math.min(MOST, queue.size())];
    int n = 0;
    long offered = 0;
    for (Object next : queue) {
      if (n == batch.length
          || !(next instanceof ByteBuffer bytes)
          || offered + bytes.remaining() > CHUNK) {
        break;
      }
      batch[n++] = bytes;
      offered += bytes.remaining();
    }
    long written = channel.write(batch, 0, n);
    sent(written);
    return written == offered;
  }

  private void sent(long bytes) {
    pending -= bytes;
    while (queue.peek() instanceof ByteBuffer head && !head.hasRemaining()) {
      queue.remove();
    }
  }

  /** What it writes to, for messages. */
  @Override
  public String toString() {
    return "output " + channel;
  }
}
