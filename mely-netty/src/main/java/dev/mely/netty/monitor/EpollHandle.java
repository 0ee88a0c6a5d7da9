package dev.mely.netty.monitor;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.unix.FileDescriptor;

/**
 * A handle for epoll. It is loaded for other transports than NIO alone, since epoll is optional.
 */
@SuppressWarnings("try") // its close may be interrupted, as that of any handle
final class EpollHandle extends WatchedHandle implements EpollIoHandle {
  private EpollHandle(EpollIoHandle handle, LoopRecorder recorder) {
    super(handle, recorder);
  }

  static boolean fits(IoHandler io) {
    return io.isCompatible(EpollIoHandle.class);
  }

  /** The handle itself, if it is of another transport: the I/O handler refuses it. */
  static IoHandle watch(IoHandle handle, LoopRecorder recorder) {
    return handle instanceof EpollIoHandle own ? new EpollHandle(own, recorder) : handle;
  }

  @Override
  public FileDescriptor fd() {
    return ((EpollIoHandle) handle).fd();
  }
}
