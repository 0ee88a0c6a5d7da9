package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.local.LocalIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A group is built as a whole, or nothing is left of it: no thread, no descriptor. */
@Timeout(300)
class FailedStartTest {
  private static final int CORES = 3;
  private static final List<IoHandlerFactory> TRANSPORTS =
      List.of(NioIoHandler.newFactory(), EpollIoHandler.newFactory(), LocalIoHandler.newFactory());

  private final List<Thread> made = new CopyOnWriteArrayList<>();

  private MelyEventLoopGroup build(IoHandlerFactory transport, ThreadFactory factory) {
    return new MelyEventLoopGroup(
        CORES,
        task -> {
          Thread thread = factory.newThread(task);
          if (thread != null) {
            made.add(thread);
          }
          return thread;
        },
        transport);
  }

  private void assertNothingIsLeft(Runnable failing) throws Exception {
    long descriptors = Descriptors.open();
    failing.run();
    // Fewer, if another group had not closed its own by then.
    assertTrue(Descriptors.open() <= descriptors, () -> "more than " + descriptors);
    assertTrue(made.stream().noneMatch(Thread::isAlive), made::toString);
  }

  /** As when the system has no thread left. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aThreadThatCannotStart(int last) throws Exception {
    for (IoHandlerFactory transport : TRANSPORTS) {
      made.clear();
      OutOfMemoryError planted = new OutOfMemoryError("unable to create native thread (planted)");
      ThreadFactory factory =
          task ->
              new FastThreadLocalThread(task) {
                @Override
                public void start() {
                  if (made.indexOf(this) == last) {
                    throw planted;
                  }
                  super.start();
                }
              };
      assertNothingIsLeft(
          () -> {
            Throwable thrown =
                assertThrows(OutOfMemoryError.class, () -> build(transport, factory));
            assertSame(planted, thrown);
          });
      assertEquals(CORES, made.size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aThreadThatIsNotMade(int last) throws Exception {
    ThreadFactory threads = new DefaultThreadFactory("few");
    for (IoHandlerFactory transport : TRANSPORTS) {
      made.clear();
      assertNothingIsLeft(
          () ->
              assertThrows(
                  IllegalStateException.class,
                  () ->
                      build(
                          transport, task -> made.size() < last ? threads.newThread(task) : null)));
      assertEquals(last, made.size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void aHandlerThatCannotBeOpened(int last) throws Exception {
    IoHandlerFactory nio = NioIoHandler.newFactory();
    int[] handlers = new int[1];
    IoHandlerFactory failing =
        executor -> {
          if (handlers[0]++ == last) {
            throw new IllegalStateException("too many open files (planted)");
          }
          return nio.newHandler(executor);
        };
    assertNothingIsLeft(
        () -> {
          Throwable thrown =
              assertThrows(
                  IllegalStateException.class, () -> build(failing, new DefaultThreadFactory("x")));
          assertEquals("too many open files (planted)", thrown.getMessage());
        });
    assertEquals(List.of(), made);
  }

  /** By then there is a runtime, whose workers have been started. */
  @Test
  void aChooserThatCannotBeMade() throws Exception {
    ThreadFactory threads = new DefaultThreadFactory("chosen");
    for (IoHandlerFactory transport : TRANSPORTS) {
      made.clear();
      MelyEventLoopGroupBuilder builder =
          MelyEventLoopGroup.builder()
              .cores(CORES)
              .ioHandlerFactory(transport)
              .threadFactory(
                  task -> {
                    Thread thread = threads.newThread(task);
                    made.add(thread);
                    return thread;
                  })
              .chooserFactory(
                  executors -> {
                    throw new IllegalStateException("planted");
                  });
      assertNothingIsLeft(() -> assertThrows(IllegalStateException.class, builder::build));
      assertEquals(CORES, made.size());
    }
  }

  /** Threads do not get to work before all have been started; then they do. */
  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whatCanStartWorks(int cores) throws Exception {
    for (IoHandlerFactory transport : TRANSPORTS) {
      MelyEventLoopGroup group = new MelyEventLoopGroup(cores, transport);
      assertEquals("ran", group.next().submit(() -> "ran").get(120, TimeUnit.SECONDS));
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }
}
