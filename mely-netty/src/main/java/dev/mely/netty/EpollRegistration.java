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
  private final EpollTransport transport;

  /** What the channel wants to hear of, whether or not epoll knows it now. */
  private volatile EpollIoOps interest = EpollIoOps.NONE;

  /** What is ready. Written inside the section, which then posts; read by the color. */
  private EpollIoOps readyOps = EpollIoOps.NONE;

  EpollRegistration(
      ColorEventLoop loop,
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
    if (claim()) {
      readyOps = ((EpollIoEvent) event).ops();
      post();
    }
  }

  // ---- Color

  @Override
  public EpollIoOps ops() {
    return readyOps;
  }

  @Override
  public long submit(IoOps ops) {
    EpollIoOps now = (EpollIoOps) ops;
    interest = now;
    if (poller().isClosed()) {
      return -1;
    }
    return isMasked() ? now.value() : target().submit(now);
  }

  /** Native memory for a system call's arguments: that of the core which makes the call. */
  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  public <T> T attachment() {
    Color color = loop.color();
    return color.isCurrent() ? (T) transport.attachment(color.core()) : target().attachment();
  }

  @Override
  boolean isInterested() {
    return interest.value() != 0;
  }

  @Override
  void submitMask() {
    // Edge-triggered and nothing else: errors and hang-ups, which cannot be masked, are reported
    // once. With 0 they would be reported by every wait.
    target().submit(EpollIoOps.EPOLLET);
  }

  @Override
  void submitInterest() {
    target().submit(interest);
  }

  @Override
  void afterCancel() {
    // The handler forwards the rest to the section itself.
  }
}
