package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import com.google.gson.JsonObject;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What is said of several turns. */
class HistoryTest {
  private static final double ACCURACY = 0.01;

  private final History history = new History();

  private static Children.Turn turn(int answers, int micros) {
    Histogram busy = Result.histogram();
    busy.recordValueWithCount(micros, answers);
    String encoded = Result.encode(busy);
    String none = Result.encode(Result.histogram());
    return new Children.Turn(new Result(answers, encoded, none), new JsonObject(), 1.0);
  }

  @Test
  void nothingIsKnownAtFirst() {
    assertNull(history.last());
    assertEquals(new Message.Minute(null, null, null, null), history.minute());
    assertEquals(
        new Message.Ratio(null, null, null), Message.Ratio.of(history.minute(), history.minute()));
  }

  @Test
  void turnsAreTakenTogetherWithoutTheFirst() {
    history.add(turn(10, 9_000));
    assertEquals(10.0, history.minute().perSecond());

    history.add(turn(100, 1_000));
    assertEquals(100.0, history.minute().perSecond());
    history.add(turn(300, 2_000));
    Message.Minute minute = history.minute();
    assertEquals(200.0, minute.perSecond());
    assertMillis(2, minute.p50Millis());
    assertMillis(2, minute.p99Millis());
    assertNull(minute.lightP99Millis());

    history.clear();
    assertNull(history.minute().perSecond());
  }

  @SuppressWarnings("NullAway") // null fails
  private static void assertMillis(double expected, Double actual) {
    assertEquals(expected, actual, expected * ACCURACY);
  }

  @Test
  void nothingIsDividedByNothing() {
    Message.Minute none = new Message.Minute(0.0, null, 2.0, 0.0);
    Message.Minute some = new Message.Minute(5.0, 1.0, 3.0, 1.0);
    assertEquals(new Message.Ratio(null, 1.5, null), Message.Ratio.of(none, some));
  }
}
