package dev.mely.netty.monitor;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.unix.FileDescriptor;
import java.nio.channels.SelectableChannel;

/** A channel's handle, in whose place it tells the {@link LoopRecorder} of each turn. */
@SuppressWarnings("try") // its close may be interrupted, as that of any handle
class WatchedHandle implements IoHandle {
  final IoHandle handle;
  private final LoopRecorder recorder;

  WatchedHandle(IoHandle handle, LoopRecorder recorder) {
    this.handle = handle;
    this.recorder = recorder;
  }

  @Override
  public void handle(IoRegistration registration, IoEvent event) {
    recorder.begin(this);
    try {
      handle.handle(registration, event);
    } finally {
      recorder.end();
    }
  }

  @Override
  public void registered() {
    handle.registered();
  }

  @Override
  public void unregistered() {
    handle.unregistered();
  }

  @Override
  public void close() throws Exception {
    handle.close();
  }

  /** The connection's two ends. */
  @Override
  public String toString() {
    return handle instanceof Channel.Unsafe channel
        ? "L:" + channel.localAddress() + " - R:" + channel.remoteAddress()
        : handle.toString();
  }

  /** For a selector. */
  @SuppressWarnings("try")
  static final class Nio extends WatchedHandle implements NioIoHandle {
    Nio(NioIoHandle handle, LoopRecorder recorder) {
      super(handle, recorder);
    }

    @Override
    public SelectableChannel selectableChannel() {
      return ((NioIoHandle) handle).selectableChannel();
    }
  }

  /** For epoll, which is an optional dependency. */
  @SuppressWarnings("try")
  static final class Epoll extends WatchedHandle implements EpollIoHandle {
    Epoll(EpollIoHandle handle, LoopRecorder recorder) {
      super(handle, recorder);
    }

    @Override
    public FileDescriptor fd() {
      return ((EpollIoHandle) handle).fd();
    }
  }
}
