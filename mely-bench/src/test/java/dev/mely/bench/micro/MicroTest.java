package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.baseline.CeilingContestant;
import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** Each benchmark runs with each kind of contestant, and comes to an end. */
@Timeout(300)
class MicroTest {
  static Stream<Arguments> games() {
    List<Configuration> some =
        List.of(
            Configuration.CEILING,
            Configuration.LIBASYNC_WS,
            Configuration.SPINLOCK_ALL,
            Configuration.MELY_ALL,
            Configuration.MELY_AUTO,
            Configuration.FJP_MAILBOX);
    return Arrays.stream(Micro.values())
        .filter(m -> m != Micro.IDLE_COLORS)
        .flatMap(m -> m.loads().stream().map(load -> Arguments.of(m, load)))
        .flatMap(a -> some.stream().map(c -> Arguments.of(a.get()[0], a.get()[1], c)));
  }

  @ParameterizedTest
  @MethodSource("games")
  void playsAndPlaysAgain(Micro micro, String load, Configuration configuration) {
    try (Contestant<?> contestant = configuration.start(2, false)) {
      Scenario scenario = micro.scenario(contestant, load);
      long once = scenario.play(1);
      assertTrue(once > 0);
      assertEquals(once, scenario.play(1));
    }
  }

  @Test
  void retiresColorsOfActorsToo() {
    try (Contestant<?> pekko = Configuration.PEKKO.start(2, false)) {
      assertEquals(64 * 200 * 4, new ShortLived<>(pekko).play(1));
    }
  }

  /** The referee, which registers itself again, must not keep others from a worker. */
  @ParameterizedTest
  @MethodSource("available")
  void leavesALoneWorkerToTheEvents(Configuration configuration) {
    try (Contestant<?> contestant = configuration.start(1, false)) {
      assertEquals(100, new Unbalanced<>(contestant, Load.allShort(100)).play(1));
    }
  }

  static Stream<Configuration> available() {
    return Arrays.stream(Configuration.values()).filter(c -> c.unavailability() == null);
  }

  /** Every chain of a round has read its whole array. */
  @Test
  void countsEveryEventOfARound() {
    try (Contestant<?> mely = Configuration.MELY_ALL.start(2, false)) {
      assertEquals(Penalty.CHAINS * (1 + Penalty.LINKS), new Penalty<>(mely).play(1));
      assertEquals(Penalty.CHAINS * (1 + Penalty.LINKS), mely.counted());
    }
  }

  /** The one that does not steal is given as much work on each core, as far as pieces go. */
  @ParameterizedTest
  @CsvSource({"UNBALANCED, 50000", "PENALTY, 0", "CACHE_EFFICIENT, 0", "CHAINS, 0"})
  void splitsWorkEvenlyForTheCeiling(Micro micro, long piece) {
    try (CeilingContestant ceiling = new CeilingContestant(2, false)) {
      micro.scenario(ceiling, micro.loads().get(0));
      assertTrue(ceiling.placed(0) > 0);
      assertEquals(ceiling.placed(0), ceiling.placed(1), piece);
    }
  }

  @ParameterizedTest
  @EnumSource
  void hasTheCeilingWhereThereIsOne(Micro micro) {
    boolean absent = micro.absence(Configuration.CEILING) != null;
    assertEquals(micro == Micro.STEAL_COST || micro == Micro.IDLE_COLORS, absent);
    assertNull(micro.absence(Configuration.MELY));
  }

  @Test
  void measuresIdleColors() throws InterruptedException {
    try (Contestant<?> mely = Configuration.MELY.start(2, false)) {
      long bytes = new IdleColors<>(mely).measure(100_000);
      // A color has at least a header and some fields; and it must be of its own.
      assertTrue(bytes > 100_000 * 16, () -> bytes + " bytes");
    }
  }

  @ParameterizedTest
  @EnumSource
  void isABenchmarkOfJmh(Micro micro) {
    Method method =
        Arrays.stream(Microbenchmarks.class.getMethods())
            .filter(m -> m.getName().equals(micro.label()))
            .findFirst()
            .orElseThrow();
    assertTrue(method.isAnnotationPresent(Benchmark.class));
    assertEquals(micro, Micro.parse(micro.label()));
  }

  @Test
  void playsWithEveryConfiguration() throws ReflectiveOperationException {
    assertArrayEquals(
        Configuration.labels().toArray(),
        Game.class.getField("configuration").getAnnotation(Param.class).value());
  }

  @Test
  void namesALoadThatIsUnknown() {
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> Micro.PING_PONG.checkLoad("away"));
    assertEquals("unknown load 'away'; known: home, local", e.getMessage());
  }
}
