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
  /** What is reported only while the channel asks for it. */
  private static final int ASKED_FOR = EpollIoOps.EPOLLIN.value() | EpollIoOps.EPOLLOUT.value();

  /** What says that the other side has gone, and that no more than what is there will come. */
  private static final int GONE =
      EpollIoOps.EPOLLERR.value() | EpollIoOps.EPOLLRDHUP.value() | 0x10; // EPOLLHUP

  private final EpollTransport transport;

  /** What the channel wants to hear of, whether or not epoll knows it now. */
  private volatile EpollIoOps interest = EpollIoOps.NONE;

  /** What is ready. Written inside the section, which then posts; read by the color. */
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

  /** Errors and hang-ups are reported whether the channel asked for them or not. */
  private int wanted() {
    return readyOps.value() & ~(ASKED_FOR & ~counts().value());
  }

  /** What is left to be read when the other side has gone is read at once. */
  @Override
  boolean isRead() {
    return (wanted() & EpollIoOps.EPOLLIN.value()) != 0 && (readyOps.value() & GONE) == 0;
  }

  @Override
  boolean wantsReads() {
    return (interest.value() & EpollIoOps.EPOLLIN.value()) != 0;
  }

  /** What counts of the interest: reads do not as long as they are put off. */
  private EpollIoOps counts() {
    return areReadsPutOff() ? interest.without(EpollIoOps.EPOLLIN) : interest;
  }

  @Override
  public long submit(IoOps ops) {
    EpollIoOps now = (EpollIoOps) ops;
    interest = now;
    if (poller().isClosed()) {
      return -1;
    }
    return readiness.isMasked() ? now.value() : target().submit(known(counts()));
  }

  /**
   * Edge-triggered and nothing else, in place of no interest at all: errors and hang-ups, which
   * cannot be masked, are reported once. With 0 they would be reported by every wait; or, up to
   * Netty 4.2.17 at least, the descriptor would be deleted from epoll, and the next interest, which
   * its handler does not add again, fail: a client that has ended its output lost its answers.
   */
  private static EpollIoOps known(EpollIoOps ops) {
    return ops.value() == 0 ? EpollIoOps.EPOLLET : ops;
  }

  /** Native memory for a system call's arguments: that of the core which makes the call. */
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
    target().submit(known(EpollIoOps.NONE));
  }

  @Override
  public void submitInterest() {
    target().submit(known(counts()));
  }

  @Override
  void afterCancel() {
    // The handler forwards the rest to the section itself.
  }
}
