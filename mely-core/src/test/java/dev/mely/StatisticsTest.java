package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.report.Statistics;
import dev.mely.report.Statistics.Figure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  /** The core counts what is first in the list of figures once, the next twice, and so on. */
  private static EnumMap<Figure, Long> values(long factor) {
    EnumMap<Figure, Long> values = new EnumMap<>(Figure.class);
    for (Figure figure : Figure.values()) {
      values.put(figure, factor * (figure.ordinal() + 1));
    }
    return values;
  }

  private static Snapshot.OfCore counting(int core, long factor) {
    return new Snapshot.OfCore(
        core, values(factor), LongStream.generate(() -> factor).limit(16).toArray());
  }

  @Test
  void totalAddsEveryColumn() {
    Statistics statistics = new Snapshot(List.of(counting(0, 1), counting(1, 100)), 0, 0, 0);
    assertEquals(counting(-1, 101).toString(), statistics.total().toString());
    assertEquals(-1, statistics.total().core());
    assertEquals(101, statistics.total().stolenFrom(1));
    Exception none =
        assertThrows(IllegalArgumentException.class, () -> statistics.total().stolenFrom(2));
    assertEquals("victim must be between 0 and 1, but is 2", none.getMessage());
    assertThrows(IllegalArgumentException.class, () -> statistics.total().stolenFrom(-1));
  }

  @Test
  void everyFigureHasItsName() {
    Statistics.PerCore c = counting(7, 1);
    assertEquals(7, c.core());
    List<Long> read =
        List.of(
            c.events(),
            c.errors(),
            c.batches(),
            c.stealsTried(),
            c.colorsStolen(),
            c.stolenNanos(),
            c.stealNanos(),
            c.takeovers(),
            c.polls(),
            c.parks(),
            c.wakeups(),
            c.colorsWaiting(),
            c.passedOver(),
            c.ranRegardless(),
            c.parkedNanos(),
            c.blockedHandlers());
    assertEquals(LongStream.rangeClosed(1, 16).boxed().toList(), read);
  }

  @Test
  void printsALinePerCoreAndTheSums() {
    EnumMap<Figure, Long> values = values(1_000);
    values.put(Figure.EVENTS, 17L);
    values.put(Figure.ERRORS, 2L);
    Snapshot.OfCore first = new Snapshot.OfCore(0, values, new long[2]);
    Snapshot.OfCore second =
        new Snapshot.OfCore(1, new EnumMap<>(Map.of(Figure.EVENTS, 25L)), new long[2]);
    Statistics statistics = new Snapshot(List.of(first, second), 0, 0, 0);
    List<String> lines = statistics.toString().lines().toList();
    assertEquals(8, lines.size(), "two parts");
    assertTrue(lines.get(0).contains("events"), lines.get(0));
    assertTrue(lines.get(1).matches("\\s*0\\s+17\\s+2\\s+3000\\s+4000\\s+5000\\s+6 us\\s+7 us.*"));
    assertTrue(lines.get(2).matches("\\s*1\\s+25\\s+0.*"), lines.get(2));
    assertTrue(lines.get(3).matches("\\s*all\\s+42\\s+2.*"), lines.get(3));
    for (int i = 0; i < 8; i++) {
      assertEquals(lines.get(i / 4 * 4).length(), lines.get(i).length(), lines.get(i));
      assertTrue(lines.get(i).matches("(core|   0|   1| all) .*"), lines.get(i));
    }
    String titles = lines.get(0) + "  " + lines.get(4).substring(4).strip();
    assertEquals(
        Stream.of(Figure.values()).map(Figure::title).toList(),
        List.of(titles.substring(4).strip().split("\\s{2,}")));
  }

  /** After months on many cores. */
  @Test
  void longNumbersFitATerminal() {
    List<Statistics.PerCore> cores = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      cores.add(counting(i, 1_000_000_000_000_000L));
    }
    String text = new Snapshot(cores, 0, 0, 0).toString();
    text.lines().forEach(line -> assertTrue(line.length() <= 120, line));
    assertTrue(text.contains("  16000000000000000\n"), text);
    assertTrue(text.contains("  256000000000000000\n"), text);
  }

  @Test
  void saysWhatFoundNoRoomIfAnythingDid() {
    String text = new Snapshot(List.of(), 3, 4, 5).toString();
    assertTrue(text.endsWith("refused 3, dropped 4, blocked 5\n"), text);
    assertFalse(new Snapshot(List.of(), 0, 0, 0).toString().contains("refused"));
  }

  @Test
  void isASnapshot() {
    List<Statistics.PerCore> cores = new ArrayList<>();
    Statistics statistics = new Snapshot(cores, 0, 0, 0);
    cores.add(counting(0, 1));
    assertEquals(0, statistics.total().events());
    long[] stolenFrom = {1};
    Snapshot.OfCore core = new Snapshot.OfCore(0, values(1), stolenFrom);
    stolenFrom[0]++;
    assertEquals(1, core.stolenFrom(0));
    assertThrows(
        UnsupportedOperationException.class, () -> statistics.cores().add(statistics.total()));
  }

  @Test
  void countsEventsErrorsAndBatches() {
    StillMely still = new StillMely(2, StealPolicy.OFF);
    Color color = still.mely.newColor(1);
    Handler<Boolean> handler =
        Handler.of(
            fails -> {
              if (fails) {
                throw new IllegalStateException("planned");
              }
            });
    for (int i = 0; i < 25; i++) {
      still.mely.register(color, handler, i % 5 == 0);
    }
    assertEquals(1, still.mely.inspect().statistics().cores().get(1).colorsWaiting());
    still.run(1);
    still.run(0);
    Statistics.PerCore busy = still.mely.inspect().statistics().cores().get(1);
    assertEquals(1, busy.core());
    assertEquals(25, busy.events());
    assertEquals(5, busy.errors());
    assertEquals(3, busy.batches(), "of ten, ten and five");
    assertEquals(0, busy.colorsWaiting());
    assertEquals(0, still.mely.inspect().statistics().cores().get(0).events());
    assertEquals(25, still.mely.inspect().statistics().total().events());
  }

  @Test
  void countsStealsParksAndCalls() {
    StillMely still = new StillMely(2, StealPolicy.TIME_LEFT);
    still.run(1);
    still.step(1);
    Handler<String> long_ =
        Handler.of((String e) -> {}).cost(java.time.Duration.ofMillis(1)).penalty(1);
    for (int i = 0; i < 2; i++) {
      still.mely.register(still.mely.newColor(0), long_, "event");
    }
    still.run(1);
    Statistics.PerCore thief = still.mely.inspect().statistics().cores().get(1);
    assertEquals(2, thief.colorsStolen());
    assertEquals(2, thief.stolenFrom(0));
    assertEquals(0, thief.stolenFrom(1));
    assertEquals(2, still.mely.inspect().statistics().total().stolenFrom(0));
    assertEquals(0, still.mely.inspect().statistics().cores().get(0).stolenFrom(1));
    assertEquals(2, thief.events());
    assertTrue(thief.stealsTried() >= 2);
    assertTrue(thief.parks() >= 1);
    assertEquals(1, thief.wakeups(), "called once to steal");
    assertEquals(0, thief.takeovers());
    assertEquals(1, thief.polls());
  }

  @Test
  void printsOverloadOnlyIfThereWasAny() {
    Statistics calm = new Snapshot(List.of(), 0, 0, 0);
    assertFalse(calm.toString().contains("refused"));
    Statistics flooded = new Snapshot(List.of(), 1, 2, 3);
    assertTrue(flooded.toString().endsWith("refused 1, dropped 2, blocked 3\n"), flooded::toString);
  }
}
