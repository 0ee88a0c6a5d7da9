package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** 5 ms, doubled up to a second, and from the beginning again after a success. */
class BackOffTest {
  private final BackOff backOff = new BackOff();

  @Test
  void doublesUpToASecond() {
    assertTrue(backOff.isFirst());
    long[] millis = IntStream.range(0, 10).mapToLong(i -> backOff.failed().toMillis()).toArray();
    long[] expected = {5, 10, 20, 40, 80, 160, 320, 640, 1_000, 1_000};
    assertArrayEquals(expected, millis);
    assertFalse(backOff.isFirst());
  }

  @Test
  void beginsAgainAfterASuccess() {
    backOff.failed();
    assertFalse(backOff.isFirst());
    backOff.failed();
    backOff.succeeded();
    assertTrue(backOff.isFirst());
    assertEquals(5, backOff.failed().toMillis());
  }
}
