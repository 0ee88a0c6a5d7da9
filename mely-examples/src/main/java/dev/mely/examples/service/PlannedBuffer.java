package dev.mely.examples.service;

import dev.mely.Mely;
import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.stage.Stages;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A buffer that may come from the server's plan: an instance of the core's pool, or a heap buffer
 * if the pool is empty or there is no plan. Both are reported to the stage recorder.
 *
 * <p>Allocated by a handler; {@link #free} may be called by any thread, once.
 */
public final class PlannedBuffer {
  private final String object;
  private final int bytes;
  private final ByteBuffer memory;
  private final @Nullable Instance instance;

  private PlannedBuffer(String object, int bytes, ByteBuffer memory, @Nullable Instance instance) {
    this.object = object;
    this.bytes = bytes;
    this.memory = memory;
    this.instance = instance;
  }

  /**
   * Allocates a buffer. Called by a handler.
   *
   * @param mely whose handler runs
   * @param object name in the plan
   * @param bytes the size, 0 or more
   * @param held how many of them the task has then; 0: unknown
   * @return a buffer with {@code bytes} bytes remaining
   */
  public static PlannedBuffer take(Mely mely, String object, int bytes, int held) {
    Pool pool = mely.pool();
    Instance instance = pool == null ? null : take(pool, object, bytes);
    Stages.allocated(object, bytes, held);
    return instance == null
        ? new PlannedBuffer(object, bytes, ByteBuffer.allocate(bytes), null)
        : new PlannedBuffer(object, bytes, instance.memory().limit(bytes), instance);
  }

  /**
   * Wraps memory from elsewhere. Called by a handler.
   *
   * @param object name in the plan
   * @param memory of the heap
   * @param held how many of them the task has then; 0: unknown
   * @return a buffer whose {@link #free} returns nothing to a pool
   */
  public static PlannedBuffer of(String object, ByteBuffer memory, int held) {
    Stages.allocated(object, memory.remaining(), held);
    return new PlannedBuffer(object, memory.remaining(), memory, null);
  }

  private static @Nullable Instance take(Pool pool, String object, int bytes) {
    List<PoolObject> objects = pool.objects();
    for (int i = 0; i < objects.size(); i++) {
      if (objects.get(i).name().equals(object)) {
        return objects.get(i).size() >= bytes ? pool.take(i) : null;
      }
    }
    return null;
  }

  /**
   * Returns the memory.
   *
   * @return always the same buffer
   */
  public ByteBuffer memory() {
    return memory;
  }

  /** Frees the memory, which may no longer be used. */
  public void free() {
    Stages.freed(object, bytes);
    if (instance != null) {
      instance.free();
    }
  }
}
