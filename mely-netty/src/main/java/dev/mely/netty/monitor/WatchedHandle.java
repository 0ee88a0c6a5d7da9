package dev.mely.netty.monitor;

import io.netty.channel.Channel;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;

/** A channel's handle, in whose place it tells the {@link LoopRecorder} of each turn. */
@SuppressWarnings("try") // its close may be interrupted, as that of any handle
abstract class WatchedHandle implements IoHandle {
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
    recorder.registered();
    handle.registered();
  }

  @Override
  public void unregistered() {
    recorder.unregistered();
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
}
