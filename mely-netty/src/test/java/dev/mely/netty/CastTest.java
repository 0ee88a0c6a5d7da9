package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.AbstractEventExecutor;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.OrderedEventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the event loops of a group can be cast to: the table of the guide, row by row. */
@Timeout(300)
class CastTest {
  private static MelyEventLoopGroup group;
  private static MultiThreadIoEventLoopGroup stock;
  private static Harness harness;
  private static EventLoop accepted;
  private static EventLoop client;

  @BeforeAll
  static void start() throws Exception {
    group = Io.NIO.builder().cores(2).build();
    stock = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    harness = new Harness(group, Harness.Echo::new);
    accepted = harness.connect().peer.eventLoop();
    NioSocketChannel channel = new NioSocketChannel();
    group.register(channel).sync();
    client = channel.eventLoop();
    channel.close().sync();
  }

  @AfterAll
  static void end() {
    harness.close();
    stock.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }

  /** Class, on Netty's own group, and on Mely's. */
  @SuppressWarnings("deprecation") // that of Netty 4.1
  static List<Arguments> rows() {
    return List.of(
        Arguments.of(IoEventLoop.class, true, true),
        Arguments.of(OrderedEventExecutor.class, true, true),
        Arguments.of(AbstractEventExecutor.class, true, true),
        Arguments.of(AbstractScheduledEventExecutor.class, true, true),
        Arguments.of(SingleThreadEventExecutor.class, true, true),
        Arguments.of(SingleThreadEventLoop.class, true, true),
        Arguments.of(SingleThreadIoEventLoop.class, true, false),
        Arguments.of(NioEventLoop.class, false, false));
  }

  @ParameterizedTest
  @MethodSource("rows")
  void casts(Class<?> type, boolean onStock, boolean onMely) {
    assertEquals(onStock, type.isInstance(stock.next()));
    assertEquals(onMely, type.isInstance(accepted), "of an accepted channel");
    assertEquals(onMely, type.isInstance(client), "of a client channel");
    assertEquals(onMely, type.isInstance(group.next()), "next()");
    for (EventExecutor loop : group) {
      assertEquals(onMely, type.isInstance(loop), "iterator()");
    }
  }

  private static List<SingleThreadEventLoop> all() {
    return List.of(
        (SingleThreadEventLoop) accepted,
        (SingleThreadEventLoop) client,
        (SingleThreadEventLoop) group.next(),
        (SingleThreadEventLoop) group.iterator().next());
  }

  /** What there is to be had behind the casts. */
  @Test
  void whatTheCastsAreFor() throws Exception {
    for (SingleThreadEventLoop loop : all()) {
      assertTrue(loop.pendingTasks() >= 0);
      assertTrue(loop.registeredChannels() >= 0);
      assertSame(group, loop.parent());
      assertTrue(loop.ticker().nanoTime() > 0);
      assertFalse(loop.isSuspended());
      assertFalse(loop.trySuspend(), "there is no thread of its own");
      assertEquals("called", loop.schedule(() -> "called", 1, TimeUnit.MILLISECONDS).get());
      Callable<String> any = () -> "any";
      assertEquals("any", loop.invokeAny(List.of(any)));
      Runnable hook = () -> {};
      loop.addShutdownHook(hook);
      loop.removeShutdownHook(hook);
    }
    assertEquals(1, ((SingleThreadEventLoop) accepted).registeredChannels());
  }

  @Test
  void onlyFixedLoopsHaveAThreadToDescribe() throws Exception {
    SingleThreadEventLoop fixed = (SingleThreadEventLoop) group.iterator().next();
    assertTrue(fixed.threadProperties().isAlive());
    SingleThreadEventLoop own = (SingleThreadEventLoop) accepted;
    // With assertions, as here, Netty says so itself; without, what it returns knows no thread.
    assertThrows(AssertionError.class, own::threadProperties);
    Throwable inside = own.submit(own::threadProperties).await().cause();
    assertTrue(
        inside instanceof AssertionError || inside instanceof BlockingOperationException,
        () -> "" + inside);
  }

  @Test
  void aChooserChoosesAmongTheSharedColors() throws Exception {
    MelyEventLoopGroup chosen =
        MelyEventLoopGroup.builder()
            .cores(2)
            .sharedColors(5)
            .chooserFactory(
                executors -> {
                  assertEquals(5, executors.length);
                  return () -> executors[3];
                })
            .build();
    try {
      Set<EventExecutor> next = Collections.newSetFromMap(new IdentityHashMap<>());
      for (int i = 0; i < 20; i++) {
        next.add(chosen.next());
      }
      assertEquals(1, next.size());
      assertInstanceOf(ColorEventLoop.class, next.iterator().next());
      assertEquals("ran", chosen.next().submit(() -> "ran").get());
    } finally {
      chosen.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
    }
  }
}
