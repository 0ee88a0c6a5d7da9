package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.jmx.MelyManagement;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Topology;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the dump and the managed bean tell, and parked time and pending events, which feed them. */
@Timeout(300)
class DumpTest {
  private final CountDownLatch release = new CountDownLatch(1);

  private final Handler<CountDownLatch> stuck =
      new Handler<>() {
        @Override
        public void handle(CountDownLatch inside) {
          inside.countDown();
          Busy.until(release);
        }

        @Override
        public String toString() {
          return "StuckHandler";
        }
      };

  private void block(Mely mely) throws InterruptedException {
    CountDownLatch inside = new CountDownLatch(1);
    mely.register(mely.newPinnedColor(0), stuck, inside);
    assertTrue(inside.await(120, TimeUnit.SECONDS));
  }

  @Test
  void tellsWhatEachCoreDoes() throws Exception {
    try (Mely mely =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .reportBlockedAfter(Duration.ofMillis(40))
            .stuckAfter(Duration.ofHours(1)) // or the other core looks through them a little later
            .errorHandler(new Silent())
            .build()) {
      block(mely);
      Color hot = mely.newPinnedColor(0);
      Color cold = mely.newPinnedColor(0);
      Handler<String> quick = Handler.of((String e) -> {}).cost(Duration.ofNanos(5_000)).penalty(1);
      for (int i = 0; i < 100; i++) {
        mely.register(hot, quick, "hot");
      }
      mely.register(cold, quick, "cold");
      mely.registerUrgent(mely.newPinnedColor(0), quick, "urgent");
      mely.schedule(mely.newPinnedColor(1), quick, "later", Duration.ofHours(1));
      Awaitility.await().until(() -> mely.inspect().dump().contains("for at least"));
      String dump = mely.inspect().dump();
      List<String> lines = dump.lines().toList();
      assertTrue(
          lines.get(0).matches("Mely: 2 cores, policy .*, open; a steal costs \\d+ us"), dump);
      assertTrue(
          lines
              .get(1)
              .matches(
                  "core 0, cpu \\d+: running for at least \\d+ ms: StuckHandler of .*pinned.*"),
          dump);
      assertTrue(
          lines.get(2).startsWith("  waiting 3 colors (1 urgent, 2 in turn); worthy (0 low"), dump);
      assertTrue(lines.get(2).endsWith("; 0 timers"), dump);
      assertTrue(
          lines.get(3).matches("  hot .*: 100 pending, 500 us, next .*"),
          "the hottest first: " + dump);
      assertTrue(lines.get(4).matches("  hot .*: 1 pending, 5 us, next .*"), dump);
      assertTrue(dump.contains("1 timers, next in 35"), dump);
      assertTrue(dump.contains("steal time"), "the statistics follow: " + dump);
      Awaitility.await()
          .until(
              () ->
                  mely.inspect()
                      .dump()
                      .lines()
                      .anyMatch(l -> l.matches("core 1, .*: parked for .*")));
      assertEquals(100, hot.pending());
      assertEquals(1, cold.pending());
      // The dump says so at the first look, the report comes with the fourth.
      Awaitility.await().until(() -> mely.inspect().statistics().total().blockedHandlers() == 1);
      release.countDown();
      Awaitility.await().until(() -> hot.pending() + cold.pending() == 0);
    }
  }

  private static final class Silent implements ErrorHandler {
    @Override
    public void onError(Color color, Object event, Throwable error) {}

    @Override
    public void onBlocked(
        int core, Color color, Handler<?> handler, Duration time, StackTraceElement[] stack) {}
  }

  @Test
  void theHottestOfManyColorsAreShown() throws Exception {
    try (Mely mely =
        Mely.builder().cores(1).pinned(false).order(MelyBuilder.Order.CHEAPEST_FIRST).build()) {
      block(mely);
      Handler<String> quick = Handler.of((String e) -> {}).cost(Duration.ofNanos(1_000)).penalty(1);
      for (int c = 1; c <= 300; c++) {
        Color color = mely.newColor();
        for (int i = 0; i < (c == 150 ? 70 : 1); i++) {
          mely.register(color, quick, "e");
        }
      }
      List<String> hot = mely.inspect().dump().lines().filter(l -> l.startsWith("  hot")).toList();
      assertEquals(5, hot.size(), hot::toString);
      assertTrue(hot.get(0).contains(": 70 pending, 70 us"), hot::toString);
      assertTrue(
          mely.inspect().dump().contains("waiting 300 colors (0 urgent, "), mely.inspect()::dump);
      release.countDown();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 16})
  void fitsATerminal(int cores) throws Exception {
    try (Mely mely =
        Mely.builder()
            .cores(cores)
            .pinned(false)
            .order(MelyBuilder.Order.CHEAPEST_FIRST)
            .machine(AllowedCpus.system(), Topology.flat(4_096))
            .reportBlockedAfter(Duration.ofMillis(40))
            .errorHandler(new Silent())
            .build()) {
      block(mely);
      Handler<String> quick =
          Handler.of((String e) -> {})
              .cost(Duration.ofNanos(5_000))
              .named("Begin" + "of.a.long.name".repeat(20) + "end");
      for (int i = 0; i < 2_000; i++) {
        mely.register(mely.newPinnedColor(0), quick, "e");
        mely.schedule(mely.newPinnedColor(0), quick, "later", Duration.ofDays(1_000));
      }
      Awaitility.await().until(() -> mely.inspect().dump().contains("for at least"));
      String dump = mely.inspect().dump();
      dump.lines().forEach(line -> assertTrue(line.length() <= 120, line));
      assertTrue(dump.matches("(?s).*,\\s+next\\s+Beginof\\.a\\S+\\.\\.\\.\\S+nameend\n.*"), dump);
      assertTrue(dump.contains("\ncore " + (cores - 1) + ","), dump);
      assertTrue(dump.contains(" background);\n    worthy (0 low, "), dump);
      assertTrue(dump.contains("2000 timers, next in 86399"), dump);
      release.countDown();
    }
  }

  /** Nothing is lost, and each part is a line that can be read. */
  @Test
  void whatHasNoTextIsNamedByItsClass() {
    Object none =
        new Object() {
          @Override
          public String toString() {
            return null;
          }
        };
    Object failing =
        new Object() {
          @Override
          public String toString() {
            throw new IllegalStateException("planned");
          }
        };
    assertEquals(none.getClass().getName(), Errors.describe(none));
    assertEquals(failing.getClass().getName(), Errors.describe(failing));
    assertEquals("null", Errors.describe(null));
  }

  @Test
  void longLinesAreWrapped() {
    String words = "word, ".repeat(30).strip();
    String wrapped = Terminal.wrap("  " + words + "\nnext");
    assertEquals(
        List.of("  " + "word, ".repeat(19).strip(), "    " + "word, ".repeat(11).strip(), "next"),
        wrapped.lines().toList());
    String noSpaces = Terminal.wrap("0,2,4,6,".repeat(40));
    assertEquals("0,2,4,6,".repeat(40), noSpaces.replaceAll("\\s", ""));
    assertTrue(noSpaces.lines().allMatch(line -> line.length() <= 120), noSpaces);
    String one = "x".repeat(300);
    assertEquals(one, Terminal.wrap(one).replaceAll("\\s", ""));
    assertEquals(3, Terminal.wrap(one).lines().count());
    assertEquals("x".repeat(120) + "\n", Terminal.wrap("x".repeat(120)));
    assertEquals("two lines", Terminal.name("two\nlines"));
    assertEquals(72, Terminal.name(one).length());
  }

  @Test
  void describesTheMachine() {
    AllowedCpus allowed = AllowedCpus.system();
    try (Mely mely =
        Mely.builder().cores(1).pinned(false).machine(allowed, Topology.flat(16)).build()) {
      assertTrue(mely.inspect().dump().contains("\nmachine: 16 CPUs (0-15)"), mely.inspect()::dump);
    }
  }

  @Test
  void saysThatARuntimeHasEnded() {
    Mely mely = Mely.builder().cores(1).pinned(false).build();
    mely.close();
    assertTrue(mely.inspect().dump().startsWith("Mely: 1 cores"));
    assertTrue(
        mely.inspect().dump().lines().findFirst().orElseThrow().contains("closed"),
        mely.inspect()::dump);
  }

  @Test
  void aColorWithoutStealingIsCountedAsOne() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).policy(StealPolicy.OFF).build()) {
      block(mely);
      Color color = mely.newColor();
      assertEquals(0, color.pending());
      for (int i = 0; i < 3; i++) {
        mely.execute(color, () -> {});
      }
      assertEquals(1, color.pending());
      release.countDown();
      Awaitility.await().until(() -> color.pending() == 0);
    }
  }

  // ---- Parked time

  @Test
  void parkedTimeGrowsWhileAWorkerWaitsAndStandsStillWhileItRuns() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      Awaitility.await()
          .until(
              () ->
                  mely.inspect().statistics().cores().get(0).parkedNanos()
                      > 5_000_000); // still waiting
      block(mely);
      long before = mely.inspect().statistics().cores().get(0).parkedNanos();
      Thread.sleep(20);
      assertEquals(before, mely.inspect().statistics().cores().get(0).parkedNanos());
      release.countDown();
      Awaitility.await()
          .until(
              () -> mely.inspect().statistics().cores().get(0).parkedNanos() > before + 5_000_000);
    }
  }

  @Test
  void oneWordHoldsParkedTime() {
    Counters counters = new Counters(1);
    assertEquals(0, counters.parkedNanos(5));
    for (long start : new long[] {100, -1_000_000_000_000L}) { // clocks may be negative
      long before = counters.parkedNanos(start);
      counters.park(start);
      assertEquals(before + 7, counters.parkedNanos(start + 7));
      counters.park(
          start + 10); // awake without having said so, for lack of memory, and waiting again
      counters.unpark(start + 15);
      counters.unpark(start + 30);
      assertEquals(before + 15, counters.parkedNanos(start + 99));
    }
  }

  // ---- Management

  @Test
  void theBeanTellsTheSame() throws Exception {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    try (Mely mely = Mely.builder().cores(2).pinned(false).build()) {
      MelyManagement bean = MelyManagement.register(mely, "orders, 1");
      ObjectName name = new ObjectName(bean.name());
      CountDownLatch ran = new CountDownLatch(10);
      for (int i = 0; i < 10; i++) {
        mely.execute(mely.newColor(), ran::countDown);
      }
      assertTrue(ran.await(120, TimeUnit.SECONDS));
      Awaitility.await().until(() -> server.getAttribute(name, "Events").equals(10L));
      assertEquals(2, server.getAttribute(name, "Cores"));
      for (String attribute : List.of("Errors", "ColorsWaiting", "BlockedHandlers")) {
        assertEquals(0L, server.getAttribute(name, attribute), attribute);
      }
      for (String attribute : List.of("Parks", "ParkedNanos", "StealCostNanos")) {
        Awaitility.await().until(() -> (Long) server.getAttribute(name, attribute) > 0);
      }
      // Takeovers too: a busy machine may keep a worker that was called off its CPU for long.
      for (String attribute : List.of("ColorsStolen", "StolenNanos", "Takeovers", "Wakeups")) {
        assertTrue((Long) server.getAttribute(name, attribute) >= 0, attribute);
      }
      String dump = (String) server.invoke(name, "dump", new Object[0], new String[0]);
      assertTrue(dump.startsWith("Mely: 2 cores"), dump);
      String table = (String) server.invoke(name, "statistics", new Object[0], new String[0]);
      assertTrue(table.contains("stolen time"), table);
      assertThrows(IllegalStateException.class, () -> MelyManagement.register(mely, "orders, 1"));
      bean.close();
      assertFalse(server.isRegistered(name));
      bean.close(); // does nothing
    }
  }
}
