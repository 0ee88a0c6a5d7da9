package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The contract of event loops, see {@code docs/netty.md}: threads, and what is tied to them. */
@Timeout(300)
class LoopThreadsTest {
  private static final FastThreadLocal<Object> LOCAL = new FastThreadLocal<>();

  /** What a task has left in a thread-local is there for the next one, or is not. */
  @ParameterizedTest
  @EnumSource
  void threadLocalsBelongToTheThread(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    int lost = 0;
    for (int i = 0; i < 1_000; i++) {
      Object mine = new Object();
      loop.submit(() -> LOCAL.set(mine)).get();
      lost += loop.submit(() -> LOCAL.get()).get() == mine ? 0 : 1;
    }
    if (groups == LoopGroups.NETTY) {
      assertEquals(0, lost);
    } else if (groups == LoopGroups.MOVING) {
      assertTrue(lost > 0, "the color has moved between two tasks");
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** The loops of the iterator are those that keep their thread, and what is tied to it. */
  @ParameterizedTest
  @EnumSource
  void theLoopsOfTheIteratorKeepTheirThread(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    for (EventExecutor executor : group) {
      SingleThreadEventLoop loop = (SingleThreadEventLoop) executor;
      long thread = loop.submit(() -> Thread.currentThread().getId()).get();
      assertEquals(thread, loop.threadProperties().id());
      for (int i = 0; i < 100; i++) {
        Object mine = new Object();
        loop.submit(() -> LOCAL.set(mine)).get();
        assertSame(mine, loop.submit(() -> LOCAL.get()).get());
      }
      assertInstanceOf(FastThreadLocalThread.class, loop.submit(Thread::currentThread).get());
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** What Netty notes for a thread is the thread's own loop, not the color that runs there. */
  @ParameterizedTest
  @EnumSource
  void nettyNotesTheLoopOfTheThread(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    Set<EventExecutor> ofThreads = new HashSet<>();
    group.forEach(ofThreads::add);
    EventExecutor noted = loop.submit(ThreadExecutorMap::currentExecutor).get();
    assertTrue(ofThreads.contains(noted), () -> noted + " of " + ofThreads);
    if (groups == LoopGroups.NETTY) {
      assertSame(loop, noted);
    } else {
      assertNotSame(loop, noted);
    }
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** A color has no thread whose properties one could ask for, and none to be put to sleep. */
  @ParameterizedTest
  @EnumSource
  void aColorHasNoThreadOfItsOwn(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    SingleThreadEventLoop loop = LoopGroups.loop(group);
    if (groups == LoopGroups.NETTY) {
      assertTrue(loop.threadProperties().isAlive());
      assertTrue(loop.trySuspend());
    } else {
      // The method is final. With assertions it fails by one, without them as it is used.
      assertThrows(Throwable.class, () -> loop.threadProperties().id());
      assertFalse(loop.trySuspend());
      assertFalse(loop.isSuspended());
    }
    assertEquals(1, loop.submit(() -> 1).get());
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** Netty makes a thread when a loop gets its first task, Mely when the group is made. */
  @Test
  void threadsAreMadeByTheCallersFactory() throws Exception {
    AtomicInteger made = new AtomicInteger();
    ThreadFactory factory =
        body -> {
          made.incrementAndGet();
          return new FastThreadLocalThread(body);
        };
    EventLoopGroup netty =
        new MultiThreadIoEventLoopGroup(
            2, new ThreadPerTaskExecutor(factory), NioIoHandler.newFactory());
    assertEquals(0, made.get());
    netty.next().submit(() -> {}).get();
    assertEquals(1, made.get());
    EventLoopGroup mely = new MelyEventLoopGroup(2, factory, NioIoHandler.newFactory());
    assertEquals(3, made.get());
    mely.next().submit(() -> {}).get();
    assertEquals(3, made.get());
    netty.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    mely.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** It harms neither the loop nor its channels. */
  @ParameterizedTest
  @EnumSource
  void anInterruptEndsNothing(LoopGroups groups) throws Exception {
    EventLoopGroup group = groups.start();
    try (Echoes echoes = new Echoes(group)) {
      for (int i = 0; i < 50; i++) {
        echoes.loop().execute(() -> Thread.currentThread().interrupt());
        assertEquals("x", echoes.ask("x"));
      }
      assertEquals(1, echoes.loop().submit(() -> 1).get());
    }
  }
}
