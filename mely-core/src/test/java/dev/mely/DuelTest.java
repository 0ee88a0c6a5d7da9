package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Fights all {@link Duels}, with the stops of some seeds. {@code -Dmely.duels=10000}: of more. */
@Tag("interleavings")
class DuelTest {
  private static final int SEEDS = Integer.getInteger("mely.duels", 100);

  @BeforeAll
  static void hush() {
    Seeds.hush();
  }

  @AfterAll
  static void speak() {
    Seeds.speak();
  }

  @Test
  void holdsWhereverTheActorsStop(@TempDir Path nothing) throws Exception {
    Class<?> duels = new SteppingLoader(nothing).loadClass(Duels.class.getName());
    Method run = duels.getDeclaredMethod("run", long.class);
    run.setAccessible(true);
    for (long seed = 1; seed <= SEEDS; seed++) {
      assertEquals("", run.invoke(null, seed), "seed " + seed);
    }
  }
}
