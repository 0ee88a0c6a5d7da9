package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Handler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The declared cost of the task that registers a channel. */
@Timeout(300)
class RegistrationCostTest {
  private static final long DEAR_NANOS = 40_000_000;

  private MelyEventLoopGroup group;

  /** Notes what its events cost, as thieves are told. */
  private static final class NotingLoop extends ColorEventLoop {
    private final List<Long> costs = new CopyOnWriteArrayList<>();

    NotingLoop(ColorEventLoop like) {
      super(
          like.groupState(), like.poller(), like.transport(), like.groupState().mely().newColor(0));
    }

    @Override
    <E> void post(Handler<? super E> handler, E event) {
      costs.add(handler.costNanos());
      super.post(handler, event);
    }
  }

  private NotingLoop start(Io io) {
    group = io.builder().cores(2).build();
    ColorEventLoop like = (ColorEventLoop) group.next();
    like.groupState().taskPrior().note(DEAR_NANOS);
    return new NotingLoop(like);
  }

  @AfterEach
  void end() throws Exception {
    assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void isNotWorthAStealWhateverTasksCost(Io io) throws Exception {
    NotingLoop loop = start(io);
    Channel channel = io.socketChannel();
    loop.register(channel).sync();
    assertEquals(List.of(1L), loop.costs, "the registration, and nothing else");

    loop.execute(() -> {});
    loop.submit(() -> {}).sync();
    assertEquals(3, loop.costs.size());
    assertTrue(
        loop.costs.get(1) > 1 && loop.costs.get(2) > 1, "worth what tasks are: " + loop.costs);
    channel.close().sync();
  }

  /** From inside there is no task to register; what its callbacks submit are tasks as any other. */
  @ParameterizedTest
  @EnumSource
  void aRegistrationFromInsideLeavesOtherTasksAlone(Io io) throws Exception {
    NotingLoop loop = start(io);
    Channel channel = io.socketChannel();
    CountDownLatch run = new CountDownLatch(2);
    channel
        .pipeline()
        .addLast(
            new ChannelInboundHandlerAdapter() {
              @Override
              public void channelRegistered(ChannelHandlerContext ctx) {
                loop.execute(run::countDown);
              }
            });
    loop.submit(
            () -> {
              loop.register(channel);
              loop.execute(run::countDown);
            })
        .sync();
    run.await();
    assertEquals(3, loop.costs.size());
    assertTrue(loop.costs.stream().noneMatch(cost -> cost == 1), loop.costs::toString);
    channel.close().sync();
  }
}
