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
 * A registration with a selector. A selector applies changes of interest, and cancellations, when
 * it selects the next time: so a home core that waits must be woken.
 */
final class NioRegistration extends Registration implements NioIoHandle, NioIoEvent {
  private final SelectionKey shadow = new ShadowKey(this);

  /** The channel's interest, even while the key is masked. */
  private volatile int interest;

  /** The ready operations. Written in the section before it posts; read by the color. */
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
    int wanted = readyOps.value() & effectiveInterest();
    return wanted == readyOps.value() ? readyOps : NioIoOps.valueOf(wanted);
  }

  /**
   * 0: a selector returned a key of which nothing is ready, an old bug of the JDK; the channel
   * handles it.
   */
  @Override
  boolean isWanted() {
    return readyOps.value() == 0 || (readyOps.value() & effectiveInterest()) != 0;
  }

  @Override
  boolean isRead() {
    return (readyOps.value() & effectiveInterest() & SelectionKey.OP_READ) != 0;
  }

  @Override
  boolean wantsReads() {
    return (interest & SelectionKey.OP_READ) != 0;
  }

  /** The interest that the selector is told: without reads while they are delayed. */
  private int effectiveInterest() {
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
      target().submit(areReadsPutOff() ? NioIoOps.valueOf(effectiveInterest()) : ops);
      if ((now & ~before) != 0) {
        poller().wakeIfWaiting();
      }
    }
    return now;
  }

  /** Netty's NIO channels take the attachment for the key, and read their interest there. */
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
    target().submit(NioIoOps.valueOf(effectiveInterest()));
    poller().wakeIfWaiting();
  }

  @Override
  void afterCancel() {
    // The JDK closes the descriptor of a registered channel only when the selector drops its key.
    poller().wakeIfWaiting();
  }
}
