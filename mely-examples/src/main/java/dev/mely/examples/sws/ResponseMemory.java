package dev.mely.examples.sws;

import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.stage.Plan;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where responses are made: in a pool of each core as long as one is left there, of as many as a
 * plan says, and in the heap beyond. Thread-safe.
 */
final class ResponseMemory {
  /** What stages, and plans, know responses by. */
  static final String OBJECT = "response";

  private final Plan.@Nullable Instances planned;

  /** By worker: a pool is taken from by one thread. */
  private final ThreadLocal<Pool> pools;

  /**
   * @param plan what it says of other objects does not count
   */
  ResponseMemory(Plan plan) {
    Plan.Instances responses = plan.objects().get(OBJECT);
    planned = responses;
    List<PoolObject> objects =
        responses == null
            ? List.of()
            : List.of(new PoolObject(OBJECT, responses.bytes(), responses.count()));
    pools = ThreadLocal.withInitial(() -> new Pool(objects));
  }

  /** Takes memory for a response; null: it is to be made in the heap. A worker. */
  @Nullable Instance take(int bytes) {
    return planned == null || bytes > planned.bytes() ? null : pools.get().take(0);
  }

  /** Where to make it. */
  static ByteBuffer bytes(@Nullable Instance taken, int bytes) {
    return taken == null ? ByteBuffer.allocate(bytes) : taken.memory();
  }
}
