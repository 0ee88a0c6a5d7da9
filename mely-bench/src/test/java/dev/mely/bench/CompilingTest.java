package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What is measured while the compilers are at work is measured again. */
class CompilingTest {
  private static final int[] COMPILED_MILLIS = {50, 20, 10, 0};

  private int calls;
  private long millis;
  private long nanos;

  /** Each takes a second, and less is compiled each time. */
  private int measure() {
    millis += COMPILED_MILLIS[calls];
    nanos += 1_000_000_000;
    return ++calls;
  }

  private int quiet(double share, int tries) throws Exception {
    return Compiling.quiet(this::measure, share, tries, () -> millis, () -> nanos);
  }

  @Test
  void untilLittleIsCompiled() throws Exception {
    assertEquals(3, quiet(0.01, 9));
  }

  @Test
  void untilNothingIs() throws Exception {
    assertEquals(4, quiet(0, 9));
  }

  @Test
  void butNotForEver() throws Exception {
    assertEquals(2, quiet(0, 2));
  }
}
