package dev.mely.netty;

import dev.mely.Color;
import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import org.jspecify.annotations.Nullable;

/** A registration with epoll. The kernel takes changes of interest at any time, from any thread. */
final class EpollRegistration extends Registration implements EpollIoHandle, EpollIoEvent {
  /** Reported only while the channel is interested. */
  private static final int ASKED_FOR = EpollIoOps.EPOLLIN.value() | EpollIoOps.EPOLLOUT.value();

  /** The other side has gone: nothing follows the bytes that are there. */
  private static final int GONE =
      EpollIoOps.EPOLLERR.value() | EpollIoOps.EPOLLRDHUP.value() | 0x10; // EPOLLHUP

  private final EpollTransport transport;

  /** The channel's interest, even while it is masked. */
  private volatile EpollIoOps interest = EpollIoOps.NONE;

  /** The ready operations. Written in the section before it posts; read by the color. */
  private EpollIoOps readyOps = EpollIoOps.NONE;

  EpollRegistration(
      ColorChannels loop,
      EpollIoHandle handle,
      @Nullable Channel channel,
      EpollTransport transport) {
    super(loop, handle, channel);
    this.transport = transport;
  }

  // ---- Section

  @Override
  public FileDescriptor fd() {
    return ((EpollIoHandle) handle()).fd();
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    if (readiness.claim()) {
      readyOps = ((EpollIoEvent) event).ops();
      post();
    }
  }

  // ---- Color

  @Override
  public EpollIoOps ops() {
    int wanted = wanted();
    return wanted == readyOps.value() ? readyOps : EpollIoOps.valueOf(wanted);
  }

  @Override
  boolean isWanted() {
    return wanted() != 0;
  }

  /** Errors and hang-ups are wanted always, other operations if the channel is interested. */
  private int wanted() {
    return readyOps.value() & ~(ASKED_FOR & ~effectiveInterest().value());
  }

  /** Not delayed if the other side has gone: the rest is read at once. */
  @Override
  boolean isRead() {
    return (wanted() & EpollIoOps.EPOLLIN.value()) != 0 && (readyOps.value() & GONE) == 0;
  }

  @Override
  boolean wantsReads() {
    return (interest.value() & EpollIoOps.EPOLLIN.value()) != 0;
  }

  /** The interest that epoll is told: without reads while they are delayed. */
  private EpollIoOps effectiveInterest() {
    return areReadsPutOff() ? interest.without(EpollIoOps.EPOLLIN) : interest;
  }

  @Override
  public long submit(IoOps ops) {
    EpollIoOps now = (EpollIoOps) ops;
    interest = now;
    if (poller().isClosed()) {
      return -1;
    }
    return readiness.isMasked() ? now.value() : target().submit(toKernel(effectiveInterest()));
  }

  /**
   * EPOLLET in place of 0: errors and hang-ups cannot be masked, and edge-triggered they are
   * reported once. With 0 every wait would report them. Worse, up to Netty 4.2.18 at least, 0
   * deletes the descriptor from epoll and the next change of interest, which does not add it again,
   * fails: a client that had ended its output lost its answers.
   */
  private static EpollIoOps toKernel(EpollIoOps ops) {
    return ops.value() == 0 ? EpollIoOps.EPOLLET : ops;
  }

  /** Native memory for the arguments of a system call: that of the core that makes the call. */
  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> T attachment() {
    Color color = loop.color();
    return color.isCurrent() ? (T) transport.attachment(color.core()) : target().attachment();
  }

  @Override
  public boolean isInterested() {
    return interest.value() != 0;
  }

  @Override
  public void submitMask() {
    target().submit(toKernel(EpollIoOps.NONE));
  }

  @Override
  public void submitInterest() {
    target().submit(toKernel(effectiveInterest()));
  }

  @Override
  void afterCancel() {
    // The I/O handler forwards the rest to the section itself.
  }
}
