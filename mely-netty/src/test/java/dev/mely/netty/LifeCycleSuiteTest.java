package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;

/** Netty's own tests of the life cycle of event loops, unchanged. */
class LifeCycleSuiteTest extends AbstractSingleThreadEventLoopTest {
  @Override
  protected EventLoopGroup newEventLoopGroup() {
    return new MelyEventLoopGroup(NioIoHandler.newFactory());
  }

  @Override
  protected EventLoopGroup newAutoScalingEventLoopGroup() {
    throw new UnsupportedOperationException("idle workers sleep, and are woken to steal");
  }

  /** Not a test: the group does not scale. */
  @Override
  public void testAutoScalingEventLoopGroupCanScaleDownAndBeUsed() {}

  /** Not a test: the group does not scale. */
  @Override
  public void testSubmittingTaskWakesUpSuspendedExecutor() {}

  @Override
  protected boolean supportsChannelIteration() {
    return true;
  }

  @Override
  protected Channel newChannel() {
    return new NioSocketChannel();
  }

  @Override
  protected Class<? extends ServerChannel> serverChannelClass() {
    return NioServerSocketChannel.class;
  }
}
