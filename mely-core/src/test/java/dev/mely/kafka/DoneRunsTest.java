package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Done offsets in a commit's metadata. */
class DoneRunsTest {
  private static DoneRuns of(SortedSet<Long> offsets) {
    DoneRuns runs = new DoneRuns();
    offsets.forEach(offset -> runs.add(offset, offset + 1));
    return runs;
  }

  private static List<Long> in(DoneRuns runs, long from, long end) {
    List<Long> all = new ArrayList<>();
    for (long offset = from; offset < end; offset++) {
      if (runs.contains(offset)) {
        all.add(offset);
      }
    }
    return all;
  }

  private static SortedSet<Long> random(Random random, long base, int span, int percent) {
    SortedSet<Long> offsets = new TreeSet<>();
    for (int i = 1; i < span; i++) {
      if (random.nextInt(100) < percent) {
        offsets.add(base + i);
      }
    }
    return offsets;
  }

  @RepeatedTest(100)
  void metadataSaysTheSame(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    long base = random.nextInt(2) == 0 ? random.nextInt(1000) : random.nextLong() >>> 2;
    int span = 1 + random.nextInt(20_000);
    SortedSet<Long> offsets = random(random, base, span, random.nextInt(101));
    DoneRuns runs = of(offsets);
    String metadata = runs.encode(base);
    assertTrue(metadata.length() <= DoneRuns.MAX_CHARS, () -> metadata.length() + " characters");
    DoneRuns read = DoneRuns.decode(base, metadata);
    assertEquals(List.copyOf(offsets), in(read, base - 5, base + span + 5));
    assertEquals(offsets.isEmpty(), read.isEmpty());
  }

  @RepeatedTest(50)
  void unionAndRest(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    SortedSet<Long> all = random(random, 100, 200, 60);
    SortedSet<Long> some = new TreeSet<>();
    SortedSet<Long> others = new TreeSet<>();
    all.forEach(offset -> (random.nextBoolean() ? some : others).add(offset));
    assertEquals(List.copyOf(all), in(of(some).and(of(others)), 0, 400));
    long from = 90 + random.nextInt(220);
    assertEquals(List.copyOf(all.tailSet(from)), in(of(all).from(from), 0, 400));
  }

  /** Half of a compacted topic: neither form has room for all. */
  @Test
  void theLowerOnesAreKeptWhereNotAllFit() {
    SortedSet<Long> offsets = new TreeSet<>();
    for (long i = 0; i < 10_000; i++) {
      offsets.add(1_000 + i * 1_000);
    }
    String metadata = of(offsets).encode(5);
    assertTrue(metadata.length() <= DoneRuns.MAX_CHARS);
    List<Long> read = in(DoneRuns.decode(5, metadata), 0, 10_001_000);
    assertTrue(read.size() > 900, () -> read.size() + " kept");
    assertEquals(List.copyOf(offsets).subList(0, read.size()), read);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "somebody's own",
        "mely2r:AQMCAQ",
        "mely1r:!",
        "mely1b:=?",
        "mely1r:gICAgICAgICAgICA",
        "mely1r:____________"
      })
  void whatIsNotItsOwnIsRefused(String metadata) {
    assertThrows(IllegalArgumentException.class, () -> DoneRuns.decode(7, metadata));
  }

  @Test
  void asInTheComment() {
    DoneRuns runs = DoneRuns.decode(100, "mely1r:AQMCAQ");
    assertEquals(List.of(101L, 102L, 103L, 106L), in(runs, 90, 120));
    assertTrue(DoneRuns.decode(100, "").isEmpty());
  }
}
