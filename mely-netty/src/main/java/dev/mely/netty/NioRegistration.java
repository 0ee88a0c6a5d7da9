package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import org.jspecify.annotations.Nullable;

/**
 * A registration with a selector.
 *
 * <p>A selector takes changes of interest, and cancellations, when it selects the next time: a home
 * core that is waiting must be woken to take note of them.
 */
final class NioRegistration extends Registration implements NioIoHandle, NioIoEvent {
  private final SelectionKey shadow = new ShadowKey(this);

  /** What the channel wants to hear of, whether or not the key says so now. */
  private volatile int interest;

  /** What is ready. Written inside the section, which then posts; read by the color. */
  private NioIoOps readyOps = NioIoOps.NONE;

  NioRegistration(ColorChannels loop, NioIoHandle handle, @Nullable Channel channel) {
    super(loop, handle, channel);
  }

  // ---- Section

  @Override
  public SelectableChannel selectableChannel() {
    return ((NioIoHandle) handle()).selectableChannel();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    if (readiness.claim()) {
      readyOps = ((NioIoEvent) event).ops();
      post();
    }
  }

  // ---- Color

  @Override
  public NioIoOps ops() {
    int wanted = readyOps.value() & counts();
    return wanted == readyOps.value() ? readyOps : NioIoOps.valueOf(wanted);
  }

  /** A selector that reports nothing in particular is a fault of old, which the channel handles. */
  @Override
  boolean isWanted() {
    return readyOps.value() == 0 || (readyOps.value() & counts()) != 0;
  }

  @Override
  boolean isRead() {
    return (readyOps.value() & counts() & SelectionKey.OP_READ) != 0;
  }

  @Override
  boolean wantsReads() {
    return (interest & SelectionKey.OP_READ) != 0;
  }

  /** What counts of the interest: reads do not as long as they are put off. */
  private int counts() {
    return areReadsPutOff() ? interest & ~SelectionKey.OP_READ : interest;
  }

  int interest() {
    return interest;
  }

  SelectionKey key() {
    return target().attachment();
  }

  @Override
  public long submit(IoOps ops) {
    if (!isValid()) {
      return -1;
    }
    int before = interest;
    int now = ((NioIoOps) ops).value();
    interest = now;
    if (!readiness.isMasked()) {
      target().submit(areReadsPutOff() ? NioIoOps.valueOf(counts()) : ops);
      if ((now & ~before) != 0) {
        poller().wakeIfWaiting();
      }
    }
    return now;
  }

  /** The channel's code takes the attachment for the key, and reads its interest there. */
  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> T attachment() {
    return (T) shadow;
  }

  @Override
  public boolean isInterested() {
    return interest != 0;
  }

  @Override
  public void submitMask() {
    target().submit(NioIoOps.NONE);
  }

  @Override
  public void submitInterest() {
    target().submit(NioIoOps.valueOf(counts()));
    poller().wakeIfWaiting();
  }

  @Override
  void afterCancel() {
    // The JDK closes the descriptor of a registered channel when the selector drops its key.
    poller().wakeIfWaiting();
  }
}
