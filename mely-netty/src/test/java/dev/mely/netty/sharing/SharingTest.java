package dev.mely.netty.sharing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SharingTest {
  /** The length of each span, and of each pause. */
  private static final long LONG = 10 * Span.PAUSE_NANOS;

  private static final double PRECISION = 1e-9;

  /**
   * One span after the other: letters are channels, a hyphen is a task, a dot is a time in which
   * the loop runs nothing.
   */
  private static List<Span> loop(String events) {
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < events.length(); i++) {
      char event = events.charAt(i);
      if (event != '.') {
        spans.add(new Span(event == '-' ? null : event, i * LONG, (i + 1) * LONG));
      }
    }
    return spans;
  }

  private static Sharing of(int cpus, int from, int to, String... loops) {
    List<List<Span>> spans = new ArrayList<>();
    for (String events : loops) {
      spans.add(loop(events));
    }
    return Sharing.of(spans, from * LONG, to * LONG, cpus);
  }

  /** The first four of the events are counted, those that follow tell what waited. */
  @ParameterizedTest
  @CsvSource({
    "ABABABAB, 4, 4", // each waits for the other
    "ABCDABCD, 4, 4", // one of them could have run beside
    "AAAAAAAA, 0, 0", // it can run once at a time
    "A.B.A.B., 0, 0", // the loop was idle in between: the next one was not there
    "AB..CD.., 1, 1", // nothing is known to wait for the last before a pause
    "AABBAABB, 4, 4", // two spans of a turn
    "-A-A-A-A, 0, 0", // the task may be the channel's own
    "-AB-AB-A, 4, 4", // one of the two is not the task's, and B waits for A
    "----ABCD, 4, 4",
    "ABAAAAAA, 2, 2", // A has its next turn
    "A-B-A-B-, 4, 4",
  })
  void aSecondLoopIsIdle(String events, double queued, double more) {
    Sharing sharing = of(2, 0, 4, events, "");
    assertEquals(queued / 4, sharing.queued(), PRECISION);
    assertEquals(more / 4, sharing.more(), PRECISION);
    double busy = events.substring(0, 4).chars().filter(event -> event != '.').count() / 4.0;
    assertEquals(List.of(busy, 0.0), sharing.busy());
    assertEquals(busy, sharing.running(), PRECISION);
  }

  @Test
  void noLoopIsIdle() {
    Sharing sharing = of(2, 0, 4, "ABABAB", "CDCDCD");
    assertEquals(new Sharing(List.of(1.0, 1.0), 0, 2, 0), sharing);
  }

  @Test
  void aLoopIsIdleForAQuarterOfTheTime() {
    assertEquals(
        new Sharing(List.of(1.0, 0.75), 0.25, 1.75, 0.25), of(2, 0, 4, "ABABAB", "CD.DCD"));
  }

  /** No more than loops are idle, than have a CPU, and than channels wait. */
  @ParameterizedTest
  @CsvSource({
    "4, ABCDABCD, '', 3",
    "4, ABCABCAB, '', 2",
    "4, ABCDABCD, X, 2",
    "3, ABCDABCD, '', 2",
    "2, ABCDABCD, '', 1",
    "2, ABCDABCD, X, 0",
    "1, ABCDABCD, '', 0",
  })
  void asManyAsThereIsRoomFor(int cpus, String events, String other, double more) {
    Sharing sharing = of(cpus, 0, 1, events, other, "", "");
    assertEquals(more, sharing.more(), PRECISION);
    assertEquals(more > 0 ? 1 : 0, sharing.queued(), PRECISION);
  }

  @Test
  void channelsOfSeveralLoopsAreAddedUp() {
    assertEquals(2, of(8, 0, 1, "ABAB", "CDCD", "", "", "").more(), PRECISION);
  }

  /** Half of the first, and half of the last. */
  @Test
  void spansMayBeginBeforeAndEndAfter() {
    List<List<Span>> spans = List.of(loop("ABAB"), List.of());
    Sharing sharing = Sharing.of(spans, LONG / 2, LONG * 3 / 2, 2);
    assertEquals(new Sharing(List.of(1.0, 0.0), 1, 1, 1), sharing);
  }

  /** The system's calls between two channels are the loop's work. */
  @ParameterizedTest
  @CsvSource({
    "10, 20000, true", // microseconds of a span, nanoseconds of the pause
    "10, 20001, false",
    "160, 20000, true",
    "160, 20001, false",
    "1600, 200000, true",
    "1600, 200001, false",
  })
  void aShortPauseIsNone(long micros, long pause, boolean waits) {
    long length = micros * 1000;
    List<Span> spans =
        List.of(new Span("A", 0, length), new Span("B", length + pause, 2 * length + pause));
    Sharing sharing = Sharing.of(List.of(spans, List.of()), 0, 2 * length + pause, 2);
    assertEquals(waits, sharing.queued() > 0);
    assertEquals(waits ? 1 : 2.0 * length / (2 * length + pause), sharing.running(), PRECISION);
  }

  /** A turn of a channel is all that it runs until another channel does. */
  @Test
  void theAverageIsThatOfTurns() {
    List<Span> spans =
        List.of(
            new Span("A", 0, 800_000),
            new Span("A", 800_000, 1_600_000),
            new Span(null, 1_600_000, 1_600_001),
            new Span("B", 1_800_001, 3_400_001));
    Sharing sharing = Sharing.of(List.of(spans, List.of()), 0, 3_400_001, 2);
    assertEquals(1, sharing.running(), PRECISION);
    assertEquals(1_600_000 / 3_400_001.0, sharing.queued(), PRECISION);
  }

  @Test
  void nothingRan() {
    assertEquals(new Sharing(List.of(0.0, 0.0), 0, 0, 0), of(2, 0, 4, "", ""));
  }
}
