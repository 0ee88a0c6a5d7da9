package dev.mely.netty.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.pool.Pool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How a core's slab is divided. */
class CoreMemoryTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4096, 10_000, 1 << 20})
  void theBlocksOfASlabFitIntoIt(int bytes) {
    assertTrue(Pool.slabSize(CoreMemory.plan(bytes)) <= bytes, "more than asked for");
  }

  @Test
  void eachClassHasAnEqualPart() {
    CoreMemory.plan(1 << 20).forEach(kind -> assertEquals(1 << 17, kind.size() * kind.count()));
  }

  @ParameterizedTest
  @CsvSource({"0, buffer-1", "1, buffer-1", "512, buffer-512", "513, buffer-1024"})
  void stagesKnowABlockByTheNextPowerOfTwo(int bytes, String name) {
    assertEquals(name, CoreMemory.objectOf(bytes));
  }
}
