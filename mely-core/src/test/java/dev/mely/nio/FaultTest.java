package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.report.ShutdownReport;
import java.io.Closeable;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A lack of memory or stack at every step: no source stays in flight, no poller spins, the end
 * comes.
 */
@Timeout(300)
class FaultTest {

  // ---- Selectors

  /** Closed by any thread, in any order: the cores go on without, and each reports it once. */
  @Test
  void closedSelectorsAreReportedOnceAndNobodySpins() throws Exception {
    AtomicInteger reports = new AtomicInteger();
    Logger logger = Logger.getLogger("dev.mely");
    CountingHandler counter = new CountingHandler(reports);
    logger.addHandler(counter);
    Selectors selectors = new Selectors();
    try (Mely mely =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .policy(StealPolicy.parse("off"))
            .pollers(selectors)
            .build()) {
      selectors.close();
      AtomicInteger ran = new AtomicInteger();
      for (int i = 1; i <= 50; i++) {
        mely.execute(mely.newColor(0), ran::incrementAndGet);
        mely.execute(mely.newColor(1), ran::incrementAndGet);
        int expected = 2 * i;
        await().until(() -> ran.get() == expected); // each time the core sleeps, and is woken
      }
      CountDownLatch due = new CountDownLatch(1);
      mely.schedule(mely.newColor(0), Handler.of(e -> due.countDown()), "e", Duration.ofMillis(20));
      due.await();
      long start = System.nanoTime();
      long before = mely.inspect().statistics().total().polls();
      Thread.sleep(200);
      long polls = mely.inspect().statistics().total().polls() - before;
      long millis = (System.nanoTime() - start) / 1_000_000; // a loaded machine sleeps for longer
      assertTrue(
          polls < millis / 2, () -> polls + " polls with nothing to find, " + millis + " ms");
      assertTrue(reports.get() <= 2, reports + " reports");
    } finally {
      logger.removeHandler(counter);
    }
  }

  // ---- Sources

  /** A fault while the event is posted, once: it is posted later, and handled. */
  @Test
  void sourceThatCannotPostLooksAgain() throws Exception {
    try (Rig rig = new Rig(1)) {
      CountDownLatch served = new CountDownLatch(1);
      AtomicInteger faults = new AtomicInteger();
      StackOverflowError planted = new StackOverflowError("planted");
      EventSource source =
          new EventSource(rig.mely(), rig.mely().newColor(), Handler.of(e -> {})) {
            @Override
            void serve() {
              pause();
              served.countDown();
            }

            @Override
            void arm() {
              if (faults.get() > 0) {
                fire(); // what was found is there still
              }
            }

            @Override
            void aboutToPost() {
              if (faults.getAndIncrement() == 0) {
                throw planted;
              }
            }

            @Override
            void disconnect() {}
          };
      source.resume();
      assertSame(planted, assertThrows(StackOverflowError.class, source::fire));
      served.await();
    }
  }

  /** An Error of any kind from the handler, as deep as the stack goes. */
  @Test
  void overflowingHandlerIsCalledAgain() throws Exception {
    Rig rig = new Rig(2);
    try (TestPipe pipe = new TestPipe()) {
      AtomicInteger calls = new AtomicInteger();
      AtomicInteger bytes = new AtomicInteger();
      Handler<String> handler =
          Handler.of(
              e -> {
                if (calls.incrementAndGet() <= 5) {
                  overflow(0);
                }
                pipe.take(bytes);
              });
      pipe.write(3);
      rig.nio.readable(pipe.in, rig.mely().newColor(), handler, "event").resume();
      await().until(() -> bytes.get() == 3);
      rig.nio.close();
      assertEquals(5, rig.errors.size());
      rig.errors.forEach(e -> assertInstanceOf(StackOverflowError.class, e));
    }
  }

  @SuppressWarnings("InfiniteRecursion")
  private static int overflow(int n) {
    return overflow(n + 1) + 1;
  }

  /** Closed by its owner at any moment, with nobody told: the source is over, its color is not. */
  @Test
  void channelClosedBehindItsSourceHarmsNobody() throws Exception {
    try (Rig rig = new Rig(2)) {
      Color color = rig.mely().newColor();
      for (int i = 0; i < 300; i++) {
        AtomicInteger bytes = new AtomicInteger();
        TestPipe pipe = new TestPipe();
        Source source =
            rig.nio.readable(pipe.in, color, Handler.of(e -> pipe.take(bytes)), "event").resume();
        pipe.write(1);
        for (int n = i % 30; n > 0; n--) {
          Thread.onSpinWait();
        }
        Thread toggler = new Thread(() -> source.resume().pause());
        toggler.start();
        pipe.in.close();
        assertTrue(source.isCancelled());
        pipe.out.close();
        toggler.join();
      }
      CountDownLatch alive = new CountDownLatch(1);
      rig.mely().execute(color, alive::countDown);
      alive.await();
      // A worker that was about to read when the channel was closed has got its exception by now.
      rig.errors.removeIf(e -> e instanceof ClosedChannelException);
    }
  }

  // ---- Operations

  /** Cancelled during the call: the calling thread closes what the call opens. */
  @Test
  void resultThatComesTooLateIsClosed() throws Exception {
    try (Rig rig = new Rig(1)) {
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      CountDownLatch closed = new CountDownLatch(1);
      Handler<Operation<Closeable>> never = Handler.of(e -> e.get());
      Operation<Closeable> operation =
          rig.nio.call(
              () -> {
                started.countDown();
                go.await();
                return closed::countDown;
              },
              rig.mely().newColor(),
              never);
      started.await();
      assertTrue(operation.cancel());
      go.countDown();
      closed.await();
    }
  }

  /** Files that have become pipes: their calls never return, and the end comes all the same. */
  @Test
  void callsThatNeverReturnDoNotHoldUpTheEnd(@TempDir Path folder) throws Exception {
    Path fifo = folder.resolve("fifo");
    assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
    Rig rig = new Rig(2);
    int calls = Helpers.THREADS + 10; // more than there are threads: some wait in the queue
    try {
      Color color = rig.mely().newColor();
      CountDownLatch stuck = new CountDownLatch(Helpers.THREADS);
      for (int i = 0; i < calls; i++) {
        rig.nio.call(
            () -> {
              stuck.countDown();
              return FileChannel.open(fifo);
            },
            color,
            Handler.of(e -> e.get().close()));
      }
      stuck.await();
      // No core is blocked: the color of the calls goes on.
      CountDownLatch ran = new CountDownLatch(1);
      rig.mely().execute(color, ran::countDown);
      ran.await();
      ShutdownReport report = rig.nio.shutdown(Duration.ofSeconds(30));
      assertEquals(new ShutdownReport(true, 0, 0, List.of()), report);
      // What is left keeps no process alive.
      Thread.getAllStackTraces().keySet().stream()
          .filter(t -> t.getName().startsWith("mely-call"))
          .forEach(t -> assertTrue(t.isDaemon(), t::toString));
    } finally {
      // Open for both, which waits for nobody, so that the threads come back.
      String script = "exec 3<>\"$1\"; sleep 0.2";
      new ProcessBuilder("sh", "-c", script, "sh", fifo.toString()).start().waitFor();
    }
  }

  /** Counts warnings. */
  private static final class CountingHandler extends java.util.logging.Handler {
    private final AtomicInteger count;

    CountingHandler(AtomicInteger count) {
      this.count = count;
    }

    @Override
    public void publish(LogRecord logged) {
      count.incrementAndGet();
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
