package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.Work;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every configuration plays by the rules: a small round runs whole, once, and in order. */
@Timeout(60)
class ContestantTest {
  private static final int ROUNDS = 20;
  private static final int EVENTS = 2_000;
  private static final int COLORS = 37;

  @ParameterizedTest
  @EnumSource
  void runsEachEventOncePerRound(Configuration configuration) {
    Load load = Load.unbalanced(EVENTS);
    AtomicIntegerArray runs = new AtomicIntegerArray(EVENTS);
    try (Contestant contestant =
        configuration.start(
            2,
            false,
            load,
            (event, iterations, before) -> {
              runs.incrementAndGet(event);
              return Work.spin(iterations, before);
            })) {
      contestant.play(ROUNDS);
      for (int i = 0; i < EVENTS; i++) {
        assertEquals(ROUNDS, runs.get(i), "runs of event " + i);
      }
      assertEquals(ROUNDS * EVENTS, contestant.figures().events());
    }
  }

  @ParameterizedTest
  @EnumSource
  void keepsTheOrderOfEachColor(Configuration configuration) {
    Load load = Load.unbalanced(EVENTS).withColors(COLORS);
    AtomicReference<String> broken = new AtomicReference<>();
    // Plain: that one event of a color sees what the one before it wrote is part of the test.
    int[] last = new int[COLORS];
    Arrays.fill(last, -1);
    try (Contestant contestant =
        configuration.start(
            2,
            false,
            load,
            (event, iterations, before) -> {
              int color = load.color(event);
              int previous = last[color];
              long result = Work.spin(iterations, before);
              int expected =
                  previous < 0 || previous + COLORS >= EVENTS ? color : previous + COLORS;
              if (event != expected || last[color] != previous) {
                broken.compareAndSet(null, event + " after " + previous + ", not " + expected);
              }
              last[color] = event;
              return result;
            })) {
      contestant.play(ROUNDS);
    }
    assertEquals(null, broken.get());
  }

  @ParameterizedTest
  @EnumSource
  void playsAgain(Configuration configuration) {
    Load load = Load.unbalanced(100);
    try (Contestant contestant =
        configuration.start(
            1, false, load, (event, iterations, before) -> Work.spin(iterations, before))) {
      for (int i = 1; i <= 50; i++) {
        contestant.play(1);
        assertEquals(100L * i, contestant.figures().events());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void playsOneHotColor(Configuration configuration) {
    Load load = Load.unbalanced(EVENTS).withColors(1);
    int[] next = {0}; // plain: one color
    try (Contestant contestant =
        configuration.start(
            2,
            false,
            load,
            (event, iterations, before) -> {
              next[0] = event == next[0] ? (event + 1) % EVENTS : -1;
              return Work.spin(iterations, before);
            })) {
      contestant.play(ROUNDS);
      assertEquals(0, next[0]);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MELY", "MELY_TIME_LEFT"})
  void stealsOnlyIfItMay(Configuration configuration) {
    Load load = Load.unbalanced(EVENTS);
    try (Contestant contestant =
        configuration.start(
            2, false, load, (event, iterations, before) -> Work.spin(iterations, before))) {
      // On a busy machine a thief may sleep through a few rounds.
      for (int i = 0; i < 1_000 && contestant.figures().steals() == 0; i++) {
        contestant.play(1);
      }
      assertEquals(configuration == Configuration.MELY, contestant.figures().steals() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFoundByItsName(Configuration configuration) {
    assertEquals(configuration, Configuration.parse(configuration.label()));
    assertTrue(List.copyOf(Configuration.labels()).contains(configuration.label()));
  }
}
