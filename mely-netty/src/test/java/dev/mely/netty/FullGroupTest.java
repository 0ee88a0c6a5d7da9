package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.MelyBuilder.Overflow;
import dev.mely.Permissions;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.Promise;
import io.netty.util.concurrent.ScheduledFuture;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A program's tasks are refused where the bound of pending events is reached. What channels do is
 * not: they are registered, served, closed and deregistered, and the group ends, even if it is
 * full.
 */
@Timeout(300)
class FullGroupTest {
  /** The transport, what is bounded, and what happens to an event that finds no room. */
  record Setting(Wire wire, boolean perColor, Overflow overflow) {
    /** A group in which one event may be pending. */
    MelyEventLoopGroup group(int cores) {
      return wire.builder()
          .cores(cores)
          .runtime(
              mely -> {
                mely.overflow(overflow);
                if (perColor) {
                  mely.maxPendingPerColor(1);
                } else {
                  mely.maxPending(1);
                }
              })
          .build();
    }
  }

  static List<Setting> settings() {
    List<Setting> all = new ArrayList<>();
    for (Wire wire : Wire.available()) {
      for (Overflow overflow : Overflow.values()) {
        all.add(new Setting(wire, false, overflow));
        all.add(new Setting(wire, true, overflow));
      }
    }
    return all;
  }

  /** Ends long before its time is up, or the test fails. */
  private static void end(MelyEventLoopGroup group) throws InterruptedException {
    var termination = group.shutdownGracefully(0, 10, TimeUnit.MINUTES);
    assertTrue(termination.await(120, TimeUnit.SECONDS), "the end waits for its time-out");
    assertEquals(0, group.registeredChannels());
  }

  private static void end(EventLoopGroup clients) {
    clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** A child's life, in the order in which its handler hears of it. */
  @ChannelHandler.Sharable
  private static class Noting extends ChannelInboundHandlerAdapter {
    final BlockingQueue<Channel> active = new LinkedTransferQueue<>();
    final Queue<String> seen = new ConcurrentLinkedQueue<>();

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      active.add(ctx.channel());
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      seen.add("inactive");
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      seen.add("unregistered");
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      seen.add("removed");
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      seen.add("user event");
    }

    Channel await() throws InterruptedException {
      Channel channel = active.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertTrue(channel != null, "no channel has come");
      return channel;
    }

    void awaitNumber(String event, int number) {
      Harness.await()
          .untilAsserted(
              () -> assertEquals(number, seen.stream().filter(event::equals).count(), event));
    }
  }

  /** From inside, so that nothing is pending afterwards. */
  private static ScheduledFuture<?> schedule(EventLoop loop) throws Exception {
    return loop.submit(() -> loop.schedule(() -> {}, 1, TimeUnit.HOURS)).get();
  }

  private static void fill(EventExecutorGroup loop) {
    assertThrows(
        RejectedExecutionException.class,
        () -> {
          for (int i = 0; i < 2; i++) {
            loop.execute(() -> {});
          }
        });
  }

  @ParameterizedTest
  @MethodSource("settings")
  void aChannelClosesWhileItsLoopIsFull(Setting setting) throws Exception {
    MelyEventLoopGroup group = setting.group(1);
    EventLoopGroup clients = setting.wire.stock();
    int channels = 15;
    class Closing extends Noting {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        fill(ctx.channel().eventLoop());
        ctx.close();
      }

      @Override
      public boolean isSharable() {
        return true;
      }
    }
    Closing child = new Closing();
    Channel server = setting.wire.bind(group, child);
    for (int i = 0; i < channels; i++) {
      setting
          .wire
          .connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter())
          .writeAndFlush(Unpooled.copiedBuffer("x", StandardCharsets.US_ASCII));
    }
    for (String event : List.of("inactive", "unregistered", "removed")) {
      child.awaitNumber(event, channels);
    }
    Harness.await().until(() -> group.registeredChannels() == 1);
    end(clients);
    end(group);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void whatOtherThreadsWantOfAChannelIsDone(Setting setting) throws Exception {
    MelyEventLoopGroup group = setting.group(1);
    EventLoopGroup clients = setting.wire.stock();
    Noting child = new Noting();
    Channel server = setting.wire.bind(group, child);
    setting.wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
    Channel peer = child.await();
    var later = schedule(peer.eventLoop());
    Promise<Void> promise = peer.eventLoop().newPromise();
    CountDownLatch told = new CountDownLatch(1);
    promise.addListener(future -> told.countDown());

    CountDownLatch release = Harness.block(group.next());
    peer.eventLoop().execute(() -> {}); // takes the only room there is
    if (setting.overflow == Overflow.REJECT) {
      assertThrows(RejectedExecutionException.class, () -> peer.eventLoop().execute(() -> {}));
      assertThrows(RejectedExecutionException.class, () -> peer.eventLoop().submit(() -> {}));
      ChannelFuture write = peer.writeAndFlush(Unpooled.EMPTY_BUFFER);
      assertTrue(write.await(120, TimeUnit.SECONDS));
      assertInstanceOf(RejectedExecutionException.class, write.cause());
    }
    Channel another = setting.wire.newChannel();
    ChannelFuture registered = group.register(another);
    assertTrue(later.cancel(false));
    promise.setSuccess(null);
    peer.pipeline().fireUserEventTriggered("x");
    ChannelFuture closed = peer.close();
    release.countDown();

    assertTrue(registered.await(120, TimeUnit.SECONDS) && registered.isSuccess());
    assertTrue(told.await(120, TimeUnit.SECONDS));
    assertTrue(closed.await(120, TimeUnit.SECONDS) && closed.isSuccess());
    child.awaitNumber("removed", 1);
    assertEquals(
        List.of("user event", "inactive", "unregistered", "removed"), List.copyOf(child.seen));
    assertTrue(another.close().await(120, TimeUnit.SECONDS));
    end(clients);
    end(group);
  }

  /** The loop has a task in each moment, as many as it may have, until its channel has gone. */
  @ParameterizedTest
  @MethodSource("settings")
  void theGroupEndsWhileItIsFull(Setting setting) throws Exception {
    MelyEventLoopGroup group = setting.group(1);
    EventLoopGroup clients = setting.wire.stock();
    Noting child = new Noting();
    Channel server = setting.wire.bind(group, child);
    setting.wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
    Channel peer = child.await();
    ColorEventLoop loop = Harness.loop(peer);
    AtomicBoolean hook = new AtomicBoolean();
    loop.addShutdownHook(() -> hook.set(true));
    var later = schedule(loop);
    loop.execute(
        new Runnable() {
          @Override
          public void run() {
            if (child.seen.isEmpty()) {
              loop.execute(this);
            }
          }
        });
    end(group);
    assertTrue(hook.get());
    assertTrue(later.isCancelled());
    child.awaitNumber("removed", 1);
    assertEquals(List.of("inactive", "unregistered", "removed"), List.copyOf(child.seen));
    end(clients);
  }

  @ParameterizedTest
  @MethodSource("settings")
  void handlersWithAColorOfTheirOwnHearOfTheClose(Setting setting) throws Exception {
    MelyEventLoopGroup group = setting.group(2);
    EventLoopGroup clients = setting.wire.stock();
    Noting writes = new Noting();
    Noting reads = new Noting();
    EventExecutorGroup readers = group.executor(Permissions.read(group.color("own")));
    Channel server =
        setting.wire.bind(
            group,
            new ChannelInitializer<>() {
              @Override
              @SuppressWarnings("deprecation") // Netty 4.2 keeps executors
              protected void initChannel(Channel channel) {
                channel.pipeline().addLast(readers, new Passing(reads));
                channel.pipeline().addLast(group.executor("own"), writes);
              }
            });
    setting.wire.connect(clients, server.localAddress(), new ChannelInboundHandlerAdapter());
    Channel peer = writes.await();
    CountDownLatch release = Harness.block(group.executor("own"));
    group.executor("own").execute(() -> {}); // takes the only room there is
    ChannelFuture closed = peer.close();
    peer.pipeline().fireUserEventTriggered("x");
    release.countDown();
    assertTrue(closed.await(120, TimeUnit.SECONDS) && closed.isSuccess());
    for (String event : List.of("inactive", "unregistered", "removed")) {
      writes.awaitNumber(event, 1);
      reads.awaitNumber(event, 1);
    }
    end(clients);
    end(group);
  }

  /** Tells what it hears, and hands it on. */
  private static final class Passing extends ChannelInboundHandlerAdapter {
    private final Noting told;

    Passing(Noting told) {
      this.told = told;
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      told.channelInactive(ctx);
      ctx.fireChannelInactive();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      told.channelUnregistered(ctx);
      ctx.fireChannelUnregistered();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
      told.handlerRemoved(ctx);
    }
  }
}
