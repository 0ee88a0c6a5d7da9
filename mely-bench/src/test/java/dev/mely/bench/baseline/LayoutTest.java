package dev.mely.bench.baseline;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jol.info.ClassLayout;
import org.openjdk.jol.info.FieldLayout;

/** The padding is where it was meant to be; the JVM orders fields as it likes. */
class LayoutTest {
  private static final int LINES = 128;

  private static List<FieldLayout> fields(Class<?> type) {
    return ClassLayout.parseClass(type).fields().stream()
        .filter(f -> !f.name().matches("[pq]\\d\\d") && !f.name().equals("filler"))
        .sorted(Comparator.comparingLong(FieldLayout::offset))
        .toList();
  }

  @ParameterizedTest
  @ValueSource(classes = {SpinLock.class, Hint.class, Worker.class})
  void keepsHotFieldsAwayFromWhatLiesBefore(Class<?> type) {
    for (FieldLayout f : fields(type)) {
      boolean constant = f.name().equals("shared");
      assertTrue(constant || f.offset() >= LINES, () -> f.name() + " at " + f.offset());
    }
  }

  @ParameterizedTest
  @ValueSource(classes = {SpinlockCore.class, LibasyncCore.class})
  void keepsWhatThievesReadApartFromWhatACoreWrites(Class<?> type) {
    List<FieldLayout> all = fields(type);
    long lastShared =
        all.stream()
            .filter(LayoutTest::isShared)
            .mapToLong(FieldLayout::offset)
            .max()
            .orElseThrow();
    for (FieldLayout f : all) {
      if (!isShared(f)) {
        assertTrue(f.offset() >= lastShared + LINES, () -> f.name() + " at " + f.offset());
      }
    }
  }

  private static boolean isShared(FieldLayout f) {
    return f.classShortName().equals(SharedCore.class.getSimpleName());
  }

  @Test
  void knowsTheFields() {
    assertTrue(fields(SpinlockCore.class).stream().anyMatch(LayoutTest::isShared));
    assertTrue(fields(SpinlockCore.class).stream().anyMatch(f -> f.name().equals("events")));
  }
}
