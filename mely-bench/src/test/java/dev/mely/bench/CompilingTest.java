package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** What is measured while the compilers are at work is measured again. */
class CompilingTest {
  private int calls;
  private long millis;

  /** Compiles less each time, until nothing is left. */
  private int done(int first) throws Exception {
    calls = 0;
    return Compiling.done(
        () -> {
          millis += Math.max(0, first - calls);
          return ++calls;
        },
        () -> millis);
  }

  @Test
  void untilNothingIsCompiled() throws Exception {
    assertEquals(1, done(0));
    assertEquals(4, done(3));
  }

  @Test
  void butNotForEver() throws Exception {
    assertEquals(Compiling.MAX_TRIES, done(Integer.MAX_VALUE));
  }
}
