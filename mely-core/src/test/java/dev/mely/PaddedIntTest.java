package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

class PaddedIntTest {
  /** A cache line and the one that the prefetcher fetches with it. */
  private static final long TWO_LINES = 128;

  /** Where the JVM really puts the value, not where the source says. */
  @Test
  void valueIsAloneOnItsCacheLines() {
    ClassLayout layout = ClassLayout.parseClass(PaddedInt.class);
    FieldLayout value =
        layout.fields().stream().filter(f -> f.name().equals("value")).findFirst().orElseThrow();
    assertTrue(value.offset() >= TWO_LINES, layout::toPrintable);
    long end = value.offset() + value.size();
    assertTrue(layout.instanceSize() - end >= TWO_LINES, layout::toPrintable);
  }

  @Test
  void eachAccessReadsAndWritesTheSameValue() {
    PaddedInt padded = new PaddedInt();
    assertEquals(0, padded.getVolatile());
    padded.setVolatile(1);
    assertEquals(1, padded.getPlain());
    padded.setRelease(2);
    assertEquals(2, padded.getOpaque());
    padded.setOpaque(3);
    assertEquals(3, padded.getVolatile());
    assertEquals(3, padded.getAndAdd(4));
    assertFalse(padded.compareAndSet(3, 0));
    assertEquals(7, padded.getVolatile());
    assertTrue(padded.compareAndSet(7, -1));
    assertEquals(-1, padded.getVolatile());
  }
}
