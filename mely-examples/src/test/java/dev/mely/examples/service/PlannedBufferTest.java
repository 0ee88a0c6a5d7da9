package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.pool.Pool;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class PlannedBufferTest {
  private static final Plan PLAN =
      new Plan(Map.of("answer", new Plan.Instances(1, 100, Set.of("elsewhere"))));

  private static <T> T in(Mely mely, Callable<T> handler) throws Exception {
    FutureTask<T> task = new FutureTask<>(handler);
    mely.execute(mely.color(0), task);
    return task.get();
  }

  @Test
  void isOfThePoolAsLongAsThatHasAny() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).plan(PLAN).recordStages(true).build()) {
      PlannedBuffer first = in(mely, () -> PlannedBuffer.take(mely, "answer", 40, 1));
      assertTrue(first.memory().isDirect());
      assertEquals(40, first.memory().remaining());
      PlannedBuffer second = in(mely, () -> PlannedBuffer.take(mely, "answer", 50, 2));
      assertFalse(second.memory().isDirect(), "there was one");
      assertEquals(50, second.memory().remaining());
      assertEquals(Pool.LINE * 2, in(mely, () -> mely.pool().liveBytes()));
      in(
          mely,
          () -> {
            first.free();
            second.free();
            return 0;
          });
      assertEquals(0, in(mely, () -> mely.pool().liveBytes()));
      StageGraph.Allocation answer = mely.inspect().stages().allocations().get(0);
      assertEquals(2, answer.allocatedBy().get(0).times());
      assertEquals(2, answer.freedBy().get(0).times());
      assertEquals(50, answer.bytes());
      assertEquals(2, answer.count());
    }
  }

  @Test
  void isOfTheHeapWhereItIsTooLargeOrUnknown() throws Exception {
    try (Mely mely = Mely.builder().cores(1).pinned(false).plan(PLAN).build()) {
      for (PlannedBuffer buffer :
          new PlannedBuffer[] {
            in(mely, () -> PlannedBuffer.take(mely, "answer", 101, 0)),
            in(mely, () -> PlannedBuffer.take(mely, "other", 10, 0))
          }) {
        assertFalse(buffer.memory().isDirect());
        buffer.free();
      }
      assertEquals(0, in(mely, () -> mely.pool().statistics().fallbacks()));
    }
  }
}
