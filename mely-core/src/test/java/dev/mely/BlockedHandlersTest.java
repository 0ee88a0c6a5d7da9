package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Handlers that block their core, and no others, are reported, once (requirement B12). */
@Timeout(300)
class BlockedHandlersTest {
  private static final long BLOCKED = 40_000_000;
  private static final long INTERVAL = BLOCKED / 4;

  private final List<Report> reports = new CopyOnWriteArrayList<>();
  private final ErrorHandler keeping = new Keeping();
  private final StillMely still = still(keeping);
  private final BlockedHandlers watchdog = new BlockedHandlers(still.scheduler, BLOCKED);
  private final Handler<Integer> looking = Handler.of(this::look);

  private final CountDownLatch unblock = new CountDownLatch(1);
  private @Nullable Mely running;

  /** What {@link ErrorHandler#onBlocked} was told. */
  private record Report(
      int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {}

  @AfterEach
  void close() {
    unblock.countDown();
    if (running != null) {
      running.close();
    }
  }

  // ---- Look by look

  @Test
  void blockingHandlerIsReportedOnce() {
    Color color = still.mely.newColor(1);
    still.mely.register(color, looking, 100);
    still.run(1);
    assertEquals(1, reports.size());
    Report report = reports.get(0);
    assertEquals(1, report.core);
    assertSame(color, report.color);
    assertSame(looking, report.handler);
    assertEquals(Duration.ofNanos(BLOCKED), report.time);
  }

  @Test
  void itTakesFourLooksThatAgree() {
    still.mely.register(still.mely.newColor(0), looking, 4);
    still.run(0);
    assertEquals(List.of(), reports);
    still.mely.register(still.mely.newColor(0), looking, 5);
    still.run(0);
    assertEquals(1, reports.size());
  }

  /** A pause of the whole process is not a blocked handler: time alone proves nothing. */
  @Test
  void longTimeBetweenTwoLooksProvesNothing() {
    Handler<Object> paused =
        Handler.of(
            e -> {
              look(2);
              still.host.advance(1_000 * BLOCKED);
              look(2);
            });
    still.mely.register(still.mely.newColor(0), paused, "event");
    still.run(0);
    assertEquals(List.of(), reports);
  }

  /** Each is short; together they take long. */
  @Test
  void busyCoreIsNotBlocked() {
    Color color = still.mely.newColor(0);
    for (int i = 0; i < 20; i++) {
      still.mely.register(color, looking, 2);
      still.mely.register(still.mely.newColor(0), looking, 3);
    }
    still.run(0);
    assertEquals(List.of(), reports);
  }

  /** One batch, whose events nobody times any more, since all before them were quick. */
  @Test
  void slowEventsOfOneBatchAreNotOneBlockedHandler() {
    Handler<Integer> quick = Handler.of(this::look);
    Color color = still.mely.newColor(0);
    for (int i = 0; i < 20; i++) {
      still.mely.register(color, quick, 0);
    }
    still.run(0);
    for (int i = 0; i < 10; i++) {
      still.mely.register(color, quick, 3);
    }
    still.mely.register(color, quick, 6);
    still.mely.register(color, quick, 3);
    still.run(0);
    assertEquals(List.of(Duration.ofNanos(BLOCKED)), reports.stream().map(r -> r.time).toList());
  }

  @Test
  void nobodyIsReportedWhileParked() {
    still.runAll();
    assertTrue(still.core(0).isParked());
    look(50);
    assertEquals(List.of(), reports);
    still.mely.register(still.mely.newColor(0), looking, 4);
    still.run(0);
    assertEquals(List.of(), reports, "the time in its sleep does not count");
  }

  /** A worker that searches, or was called a moment ago, runs nothing. */
  @Test
  void workerWithoutAColorIsNotReported() {
    still.mely.register(still.mely.newColor(0), looking, 0);
    still.stepTo(0, WorkerState.PUBLISH);
    look(50);
    assertEquals(List.of(), reports);
    still.mely.register(still.mely.newColor(0), looking, 5);
    still.run(0);
    assertEquals(1, reports.size(), "it is watched as before");
  }

  @Test
  void nextBlockingHandlerIsReportedToo() {
    Color color = still.mely.newColor(0);
    Handler<Integer> other = Handler.of(this::look);
    still.mely.register(color, looking, 9);
    still.mely.register(still.mely.newColor(0), other, 9);
    still.mely.register(color, looking, 9);
    still.run(0);
    assertEquals(
        List.of(looking, other, looking),
        reports.stream().<Handler<?>>map(r -> r.handler).toList());
  }

  @Test
  void eachBlockedCoreIsReported() {
    Handler<Object> both =
        Handler.of(
            e -> {
              still.mely.register(still.mely.newPinnedColor(1), looking, 9);
              still.run(1);
            });
    still.mely.register(still.mely.newPinnedColor(0), both, "event");
    still.run(0);
    assertEquals(Set.of(0, 1), reports.stream().map(r -> r.core).collect(Collectors.toSet()));
    assertEquals(2, reports.size());
  }

  @Test
  void reportThatThrowsCostsNothing() {
    for (Throwable thrown :
        List.of(new IllegalStateException("planned"), new AssertionError("planned"))) {
      ErrorHandler angry =
          new Keeping() {
            @Override
            public void onBlocked(
                int core, Color color, Handler<?> handler, Duration t, StackTraceElement[] stack) {
              super.onBlocked(core, color, handler, t, stack);
              if (thrown instanceof Error error) {
                throw error;
              }
              throw (RuntimeException) thrown;
            }
          };
      reports.clear();
      StillMely two = still(angry);
      BlockedHandlers theirs = new BlockedHandlers(two.scheduler, BLOCKED);
      Handler<Object> handler =
          Handler.of(
              e -> {
                for (int i = 0; i < 9; i++) {
                  two.host.advance(INTERVAL);
                  theirs.look(two.host.nanos());
                }
              });
      List<String> log =
          logged(
              () -> {
                two.mely.register(two.mely.newColor(0), handler, 1);
                two.mely.register(two.mely.newColor(0), handler, 2);
                two.run(0);
              });
      assertEquals(2, reports.size());
      assertEquals(List.of(), two.errors, "the handler does not see it");
      assertEquals(2, two.mely.inspect().statistics().total().events());
      assertEquals(2, log.size(), log::toString);
    }
  }

  @Test
  void logsWhereNobodyElseIsTold() {
    Color color = still.mely.newColor(0);
    StackTraceElement[] stack = {new StackTraceElement("app.Handlers", "waits", "H.java", 17)};
    List<String> expected = List.of("core 3 ", "250 ms", color.toString(), "app.Handlers.waits");
    for (Errors errors : List.of(new Errors(null), new Errors((c, e, t) -> {}))) {
      List<String> log =
          logged(() -> errors.reportBlocked(3, color, looking, Duration.ofMillis(250), stack));
      assertEquals(1, log.size(), log::toString);
      for (String part : expected) {
        assertTrue(log.get(0).contains(part), log.get(0));
      }
    }
  }

  /** What the stack shows then is what the worker does after it. */
  @Test
  void aHandlerThatEndsWhileItsStackIsTakenIsNotReported() throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    Handler<Object> slow =
        Handler.of(
            e -> {
              inside.countDown();
              unblock.await();
            });
    still.mely.register(still.mely.newColor(0), slow, "event");
    Thread worker = new Thread(() -> still.run(0), "core 0");
    worker.start();
    inside.await();
    look(4);
    boolean[] asked = {false};
    still.host.whenThreadIsAsked(
        () -> {
          asked[0] = true;
          unblock.countDown();
          end(worker);
        });
    look(50);
    assertTrue(asked[0], "a report was under way");
    assertEquals(List.of(), reports);
  }

  private static void end(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where it stands, and who called: handlers are slow at first, since they load classes. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "java.lang.ClassLoader.loadClass",
        "jdk.internal.loader.BuiltinClassLoader.loadClassOrNull",
        "java.lang.invoke.MethodHandleNatives.linkCallSite",
        "app.Settings.<clinit>"
      })
  void theLogShowsFewFramesWhereAClassIsLoaded(String loading) {
    List<StackTraceElement> stack = new ArrayList<>();
    stack.add(frame("java.util.zip.Inflater.inflate"));
    stack.add(frame(loading));
    for (int i = 1; i <= 40; i++) {
      stack.add(frame("javapress.Own.step" + i));
    }
    List<String> lines = logBlocked(stack);
    assertEquals("at " + stack.get(0), lines.get(1));
    assertTrue(lines.size() <= 6, lines::toString);
    assertTrue(lines.contains("at " + stack.get(2)), lines::toString);
    String last = "... " + (stack.size() - lines.size() + 2) + " more; it loads a class";
    assertTrue(lines.get(lines.size() - 1).startsWith(last), lines::toString);
  }

  /** A deadlock, say. */
  @Test
  void theLogShowsAllFramesOfAHandlerThatWaits() {
    List<StackTraceElement> stack = new ArrayList<>();
    stack.add(frame("jdk.internal.misc.Unsafe.park"));
    for (int i = 1; i <= 40; i++) {
      stack.add(frame("app.Loader.loadClass" + i)); // of the program itself
    }
    List<String> lines = logBlocked(stack);
    assertEquals(42, lines.size(), lines::toString);
    assertEquals("at " + stack.get(40), lines.get(41));
  }

  private static StackTraceElement frame(String method) {
    int dot = method.lastIndexOf('.');
    return new StackTraceElement(method.substring(0, dot), method.substring(dot + 1), "F.java", 1);
  }

  private List<String> logBlocked(List<StackTraceElement> stack) {
    StackTraceElement[] frames = stack.toArray(StackTraceElement[]::new);
    Color color = still.mely.newColor(0);
    List<String> log =
        logged(() -> Errors.logBlocked(3, color, looking, Duration.ofMillis(250), frames));
    return log.get(0).lines().map(String::strip).toList();
  }

  /** No number that differs from run to run, as of Object.toString, or a lambda's class. */
  @Test
  void theLogNamesTheHandler() {
    Color color = still.mely.newColor(0);
    Handler<String> anonymous =
        new Handler<>() {
          @Override
          public void handle(String event) {}
        };
    Handler.OfAction<String> lambda = Handler.of((String e) -> {});
    for (Handler<?> handler : List.of(anonymous, lambda, lambda.named("Encrypt"))) {
      List<String> log =
          logged(
              () ->
                  Errors.logBlocked(
                      0, color, handler, Duration.ofMillis(9), new StackTraceElement[0]));
      String name = log.get(0).replaceAll(".*: (.*) of Color@.*", "$1");
      assertTrue(name.matches("BlockedHandlersTest(\\.\\d+| #\\d+)|Encrypt"), log::toString);
    }
  }

  // ---- With threads

  /** All workers are blocked, and nobody but the watchdog is left to notice. */
  @Test
  void blockedThreadsAreReportedWithTheirStack() throws InterruptedException {
    for (int cores = 1; cores <= 2; cores++) {
      while (!areReportedWithTheirStack(cores)) {
        // A worker got no CPU for so long before it came to where it blocks: once more.
      }
    }
  }

  /** False if one of them was not yet where it blocks when it was reported. */
  private boolean areReportedWithTheirStack(int cores) throws InterruptedException {
    reports.clear();
    Set<Thread> before = watchdogs();
    CountDownLatch release = new CountDownLatch(1);
    Mely mely =
        Mely.builder()
            .cores(cores)
            .pinned(false)
            .reportBlockedAfter(Duration.ofMillis(40))
            .errorHandler(keeping)
            .build();
    running = mely;
    Set<Thread> mine = watchdogs();
    mine.removeAll(before);
    assertEquals(1, mine.size());
    assertTrue(mine.stream().allMatch(Thread::isDaemon));
    Handler<Object> blocks = Handler.of(e -> blockHere(release));
    for (int core = 0; core < cores; core++) {
      mely.register(mely.newPinnedColor(core), blocks, core);
    }
    await().until(() -> reports.size() >= cores);
    Thread.sleep(200); // five times as long: no second report
    assertEquals(cores, reports.size());
    boolean there = true;
    for (Report report : reports) {
      assertSame(blocks, report.handler);
      assertEquals(report.core, report.color.core());
      assertTrue(report.time.toMillis() >= 40, report.time::toString);
      assertTrue(report.stack.length > 0);
      there &= Arrays.stream(report.stack).anyMatch(f -> f.getMethodName().equals("blockHere"));
    }
    assertEquals(cores, reports.stream().map(r -> r.core).distinct().count());
    release.countDown();
    mely.close();
    assertFalse(mine.iterator().next().isAlive(), "it ends with its runtime");
    return there;
  }

  @Test
  void zeroTurnsItOff() throws InterruptedException {
    Set<Thread> before = watchdogs();
    Mely mely =
        Mely.builder()
            .cores(1)
            .pinned(false)
            .reportBlockedAfter(Duration.ZERO)
            .errorHandler(keeping)
            .build();
    running = mely;
    Set<Thread> mine = watchdogs();
    mine.removeAll(before);
    assertEquals(Set.of(), mine);
    CountDownLatch done = new CountDownLatch(1);
    mely.execute(
        mely.newColor(),
        () -> {
          try {
            Thread.sleep(50);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          done.countDown();
        });
    done.await();
    mely.close();
    assertEquals(List.of(), reports);
  }

  private static void blockHere(CountDownLatch latch) throws InterruptedException {
    latch.await();
  }

  private static Set<Thread> watchdogs() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(t -> t.getName().equals("mely-watchdog"))
        .collect(Collectors.toSet());
  }

  // ---- Helpers

  /** So many looks of the watchdog, an interval between any two. */
  private void look(int times) {
    for (int i = 0; i < times; i++) {
      still.host.advance(INTERVAL);
      watchdog.look(still.host.nanos());
    }
  }

  private static StillMely still(ErrorHandler errors) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = 2;
    settings.policy = StealPolicy.OFF;
    settings.errors = errors;
    return new StillMely(settings);
  }

  /** What the runtime logs meanwhile. */
  private static List<String> logged(Runnable action) {
    ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();
    java.util.logging.Handler records =
        new java.util.logging.Handler() {
          @Override
          public void publish(LogRecord record) {
            if (record.getLevel() == Level.WARNING) {
              log.add(record.getMessage());
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.mely");
    logger.addHandler(records);
    logger.setUseParentHandlers(false);
    try {
      action.run();
    } finally {
      logger.setUseParentHandlers(true);
      logger.removeHandler(records);
    }
    return List.copyOf(log);
  }

  /** Keeps all reports. */
  private class Keeping implements ErrorHandler {
    @Override
    public void onError(Color color, Object event, Throwable error) {}

    @Override
    public void onBlocked(
        int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {
      reports.add(new Report(core, color, handler, time, stack));
    }
  }
}
