package dev.mely.netty.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** That the comparison finds what is planted, so that finding nothing elsewhere says something. */
class ComparisonTest {
  private static final String PLANTED = "dev.mely.netty.peers.suites.PlantedSuite";
  private static final long PATIENCE = TimeUnit.MINUTES.toNanos(3);
  private static final long TEST_SECONDS = 8;

  /** What a foreign program does. */
  public static final class Foreign implements Supplier<EventLoopGroup> {
    @Override
    public EventLoopGroup get() {
      int threads = 1;
      return new MultiThreadIoEventLoopGroup(threads, NioIoHandler.newFactory());
    }
  }

  /** The same by the older name. */
  @SuppressWarnings("deprecation")
  public static final class ForeignNio implements Supplier<EventLoopGroup> {
    @Override
    public EventLoopGroup get() {
      NioEventLoopGroup group = new NioEventLoopGroup();
      return group;
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {Foreign.class, ForeignNio.class})
  void aForeignProgramGetsTheGroupOfTheMode(Class<?> foreign) throws Exception {
    byte[] code;
    try (InputStream in = foreign.getResourceAsStream("/" + path(foreign))) {
      code = GroupRewriter.rewrite(in.readAllBytes());
    }
    Class<?> rewritten =
        new ClassLoader(getClass().getClassLoader()) {
          Class<?> define() {
            return defineClass(foreign.getName(), code, 0, code.length);
          }
        }.define();
    assertNotSame(foreign, rewritten);
    int before = PeerGroups.made();
    EventLoopGroup group =
        (EventLoopGroup) ((Supplier<?>) rewritten.getConstructor().newInstance()).get();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    assertEquals(before + 1, PeerGroups.made());
  }

  private static String path(Class<?> type) {
    return type.getName().replace('.', '/') + ".class";
  }

  /** A test that hangs is stopped, and the rest runs. */
  @Test
  void eachTestHasAnOutcome() throws Exception {
    assertEquals(
        Map.of(
            "passesOnBoth", Outcome.PASSED,
            "failsOnBoth", Outcome.FAILED,
            "failsOnMely", Outcome.PASSED,
            "failsOnMelyBelowVertx", Outcome.PASSED,
            "hangsOnMely", Outcome.PASSED),
        outcomes(Mode.STOCK));
    for (Mode mode : List.of(Mode.MELY, Mode.MIGRATING)) {
      assertEquals(
          Map.of(
              "passesOnBoth", Outcome.PASSED,
              "failsOnBoth", Outcome.FAILED,
              "failsOnMely", Outcome.FAILED,
              "failsOnMelyBelowVertx", Outcome.FAILED,
              "hangsOnMely", Outcome.HUNG),
          outcomes(mode));
    }
  }

  private static Map<String, Outcome> outcomes(Mode mode) throws Exception {
    Fork fork = new Fork("planted", mode, List.of(), TEST_SECONDS);
    Map<String, Outcome> outcomes = new TreeMap<>();
    for (Result result : fork.run(List.of(PLANTED), 1, System.nanoTime() + PATIENCE).values()) {
      String name = result.test().replaceAll(".*\\[method:(\\w+).*", "$1");
      outcomes.put(name, result.outcome().orElseThrow());
    }
    assertTrue(fork.hasEnded());
    assertTrue(fork.groups() >= 4, () -> "groups of " + mode);
    return outcomes;
  }

  @Test
  void onlyTheDifferenceCounts() throws Exception {
    List<String> tests =
        List.of(PLANTED + "#passesOnBoth", PLANTED + "#failsOnBoth", PLANTED + "#failsOnMely");
    Suite suite = new Suite("planted-comparison", 3, 1, tests);
    Map<String, Result> stock = run(suite, Mode.STOCK);
    Map<String, Result> mely = run(suite, Mode.MELY);
    Exceptions none = new Exceptions(List.of(), List.of(), List.of());
    List<String> differences = new Comparison(suite, Mode.MELY, none, stock, mely).differences();
    assertEquals(1, differences.size(), differences::toString);
    assertTrue(differences.get(0).contains("failsOnMely"), differences::toString);
    assertTrue(
        differences.get(0).contains(": stock 11 of 11, mely 0 of 11"), differences::toString);
    List<Pattern> failing = List.of(Pattern.compile("failsOnMely"));
    Exceptions excused = new Exceptions(List.of(), failing, List.of());
    assertEquals(List.of(), new Comparison(suite, Mode.MELY, excused, stock, mely).differences());
  }

  @Test
  void whatCannotBeSaidOfColorsThatMoveIsSaidByDefault() {
    List<Pattern> threads = List.of(Pattern.compile("sameThread"));
    Exceptions moves = new Exceptions(List.of(), List.of(), threads);
    assertTrue(moves.mayDiffer("a.b.C#sameThread", Mode.MIGRATING));
    assertFalse(moves.mayDiffer("a.b.C#sameThread", Mode.MELY));
    assertFalse(moves.mayDiffer("a.b.C#sameLoop", Mode.MIGRATING));
    Exceptions differs = new Exceptions(List.of(), threads, List.of());
    assertTrue(differs.mayDiffer("a.b.C#sameThread", Mode.MELY));
    assertFalse(differs.mayDiffer("a.b.C#sameLoop", Mode.MELY));
  }

  private static Map<String, Result> run(Suite suite, Mode mode) throws Exception {
    return new Fork(suite.name(), mode, List.of())
        .run(suite.classes(), 1, System.nanoTime() + PATIENCE);
  }

  @ParameterizedTest
  @CsvSource({
    "0, 11, 1, 11, false",
    "0, 11, 2, 11, true",
    "3, 11, 4, 11, false",
    "9, 11, 11, 11, false",
    "2, 11, 8, 11, true",
    "5, 10, 2, 2, false",
    "2, 11, 4, 11, false",
    "2, 11, 7, 11, true",
    "0, 40, 1, 40, false"
  })
  void oneFailureIsNoise(int stockBad, int stockRuns, int bad, int runs, boolean differs) {
    assertEquals(differs, new Rate(bad, runs).differsFrom(new Rate(stockBad, stockRuns)));
  }

  /** What never passed on Netty's own group cannot be worse. */
  @Test
  void whatAlwaysFailsIsNoDifference() {
    assertFalse(new Rate(11, 11).differsFrom(new Rate(11, 11)));
  }
}
