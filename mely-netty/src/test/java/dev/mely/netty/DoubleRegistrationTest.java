package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A channel that is registered twice at once is registered once. */
@Timeout(300)
class DoubleRegistrationTest {
  private static final int CHANNELS = 200;

  @ParameterizedTest
  @EnumSource
  void oneOfTwoAtOnceIsRefused(Io io) throws Exception {
    registerTwice(io, group -> group::register);
  }

  /** As bootstraps of frameworks do, which choose the loop themselves. */
  @ParameterizedTest
  @EnumSource
  void oneOfTwoLoopsAtOnceRefuses(Io io) throws Exception {
    registerTwice(
        io,
        group ->
            channel -> {
              EventLoop loop = group.next();
              return loop.register(channel);
            });
  }

  private static void registerTwice(
      Io io, Function<MelyEventLoopGroup, Function<Channel, ChannelFuture>> how) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).build();
    try {
      Function<Channel, ChannelFuture> register = how.apply(group);
      CyclicBarrier both = new CyclicBarrier(2);
      for (int i = 0; i < CHANNELS; i++) {
        Channel channel = io.socketChannel();
        FutureTask<ChannelFuture> other =
            new FutureTask<>(
                () -> {
                  both.await();
                  return register.apply(channel);
                });
        new Thread(other).start();
        both.await();
        List<ChannelFuture> attempts = new ArrayList<>();
        attempts.add(register.apply(channel));
        attempts.add(other.get());
        for (ChannelFuture attempt : attempts) {
          attempt.await();
        }
        attempts.removeIf(ChannelFuture::isSuccess);
        assertEquals(1, attempts.size(), "one succeeds, one fails");
        assertInstanceOf(IllegalStateException.class, attempts.get(0).cause());
        assertTrue(channel.isOpen() && channel.isRegistered());
        assertEquals(1, group.registeredChannels());
        assertEquals(
            1, channel.eventLoop().submit(() -> loop(channel).loopRegistrations().size()).get());
        channel.close().sync();
        Harness.await().until(() -> group.registeredChannels() == 0);
        assertEquals(0, group.groupState().pendingRegistrations().size());
      }
    } finally {
      // Were anything left, the end would wait for it.
      assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
    }
  }

  /** The thread that has registered it is slow to note that this is over. */
  @ParameterizedTest
  @EnumSource
  void aChannelMayLeaveAndComeAgainBeforeItsFirstRegistrationIsNoted(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).build();
    try {
      Channel channel = io.socketChannel();
      EventLoop first = group.next();
      EventLoop second = group.next();
      AtomicReference<ChannelFuture> again = new AtomicReference<>();
      Thread registering = Thread.currentThread();
      ChannelPromise slow =
          new DefaultChannelPromise(channel, first) {
            private boolean asked;

            /** As the loop does with the future of what it has been told to register. */
            @Override
            public boolean isDone() {
              if (Thread.currentThread() == registering && !asked) {
                asked = true;
                Harness.await().until(super::isDone);
                channel.deregister().syncUninterruptibly();
                again.set(second.register(channel).awaitUninterruptibly());
              }
              return super.isDone();
            }
          };
      first.register(slow).sync();
      again.get().sync();
      assertSame(second, channel.eventLoop());
      Harness.await().until(() -> group.groupState().pendingRegistrations().size() == 0);
      assertEquals(1, group.registeredChannels());
      channel.close().sync();
    } finally {
      assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
    }
  }

  private static ColorEventLoop loop(Channel channel) {
    return Harness.loop(channel);
  }
}
