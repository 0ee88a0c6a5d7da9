package dev.mely.netty.monitor;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;

/**
 * The I/O handler of one event loop, in whose place it tells the {@link LoopRecorder} what the loop
 * runs: channels inside of {@link #run}, and tasks between two runs.
 */
final class WatchedIoHandler implements IoHandler {
  private final IoHandler io;
  private final LoopRecorder recorder;
  private final Runnable destroyed;
  private final boolean nio;

  /**
   * @param io does the work
   * @param destroyed called when the loop ends
   * @throws IllegalArgumentException unless it is of NIO or epoll
   */
  WatchedIoHandler(IoHandler io, LoopRecorder recorder, Runnable destroyed) {
    this.io = io;
    this.recorder = recorder;
    this.destroyed = destroyed;
    this.nio = io.isCompatible(NioIoHandle.class);
    if (!nio && !isEpoll(io)) {
      throw new IllegalArgumentException(
          "only NIO and epoll can be watched, not " + io.getClass().getName());
    }
  }

  private static boolean isEpoll(IoHandler io) {
    try {
      return EpollHandle.fits(io);
    } catch (NoClassDefFoundError e) { // optional
      return false;
    }
  }

  @Override
  public void initialize() {
    recorder.bind();
    io.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    recorder.end(); // tasks
    try {
      return io.run(context);
    } finally {
      recorder.begin(LoopRecorder.TASKS);
    }
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    if (!nio) {
      return io.register(EpollHandle.watch(handle, recorder));
    }
    return io.register(handle instanceof NioIoHandle own ? new NioHandle(own, recorder) : handle);
  }

  @Override
  public void prepareToDestroy() {
    io.prepareToDestroy();
  }

  @Override
  public void destroy() {
    try {
      io.destroy();
    } finally {
      recorder.end();
      destroyed.run();
    }
  }

  @Override
  public void wakeup() {
    io.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return io.isCompatible(handleType);
  }
}
