package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The bytes of writes from behind off-loaded handlers, on their way through the color: they count
 * for the channel's writability. Else a handler that writes as long as the channel is writable
 * would not end.
 *
 * <p>Added by the channel's event loop, subtracted by the color. The event loop sets {@link
 * #unwritable} and then looks at the bytes again, the color subtracts and then looks at that
 * (Dekker).
 */
final class PassedWrites {
  /**
   * Of the 31 reasons for which a program may call a channel unwritable; Netty's own use 1 to 3.
   */
  private static final int REASON = 31;

  private final Channel channel;
  private final AtomicLong bytes = new AtomicLong();

  /** Written by the event loop. */
  private volatile boolean unwritable;

  PassedWrites(Channel channel) {
    this.channel = channel;
  }

  /** Event loop only: a write begins its way. */
  void add(int size) {
    if (bytes.addAndGet(size) > channel.config().getWriteBufferHighWaterMark() && !unwritable) {
      unwritable = true;
      setWritable(false);
      settle();
    }
  }

  /**
   * Color only, or the thread that rejects its events: a write has passed.
   *
   * @return whether the event loop has to {@link #settle}
   */
  boolean remove(int size) {
    bytes.getAndAdd(-size);
    return unwritable && isLow();
  }

  /** Event loop only: the channel is writable again, if no more than the low-water mark is left. */
  void settle() {
    if (unwritable && isLow()) {
      unwritable = false;
      setWritable(true);
    }
  }

  private boolean isLow() {
    return bytes.get() <= channel.config().getWriteBufferLowWaterMark();
  }

  /** Streams of HTTP/2 have no such buffer: their windows make them unwritable. */
  private void setWritable(boolean writable) {
    ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
    if (buffer != null) {
      buffer.setUserDefinedWritability(REASON, writable);
    }
  }
}
