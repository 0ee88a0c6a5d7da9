package dev.mely.netty.doctor;

import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Those methods of Netty that the doctor calls, in public interfaces as there. */
final class FakeNetty {
  private FakeNetty() {}

  /** Like Netty's {@code EventLoop}. */
  public interface Loop extends Executor {
    @Nullable Object parent();

    boolean inEventLoop();

    boolean inEventLoop(Thread thread);

    boolean isShuttingDown();

    boolean isSuspended();
  }

  /** Like Netty's {@code ChannelPipeline}. */
  public interface Pipeline {
    Channel channel();
  }

  /** Like Netty's {@code Channel}. */
  public interface Channel {
    Loop eventLoop();

    @Nullable Channel parent();

    Pipeline pipeline();
  }

  /** Like Netty's. */
  public interface ServerChannel extends Channel {}
}
