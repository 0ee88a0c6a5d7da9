package dev.mely.netty.monitor;

import io.netty.channel.nio.NioIoHandle;
import java.nio.channels.SelectableChannel;

/** A handle for selectors. */
@SuppressWarnings("try") // its close may be interrupted, as that of any handle
final class NioHandle extends WatchedHandle implements NioIoHandle {
  NioHandle(NioIoHandle handle, LoopRecorder recorder) {
    super(handle, recorder);
  }

  @Override
  public SelectableChannel selectableChannel() {
    return ((NioIoHandle) handle).selectableChannel();
  }
}
