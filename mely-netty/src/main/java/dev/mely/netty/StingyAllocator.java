package dev.mely.netty;

import dev.mely.netty.memory.CoreMemory;
import dev.mely.netty.memory.Slabs;
import dev.mely.pool.Pool;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import java.util.List;
import java.util.Objects;

/**
 * Direct buffers from one slab per core, small enough to stay in the core's cache. A buffer for
 * which the slab has no room comes from Netty's {@link AdaptiveByteBufAllocator} (the fallback), as
 * do buffers of threads that are no workers of a {@link MelyEventLoopGroup}, and all heap buffers.
 *
 * <pre>{@code
 * StingyAllocator allocator = new StingyAllocator();
 * bootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
 * }</pre>
 *
 * <p>A worker takes from its slab without atomic operations. Any thread may free; the memory goes
 * back to the slab that it is from. A channel that another core has stolen allocates from the slab
 * of that core. A buffer that grows out of its block moves to a larger one, in the slab of the core
 * that runs it then, or from the fallback.
 *
 * <p>Reference counts, leak detection, slices and growth are those of Netty's buffers; slices and
 * duplicates share the count of their buffer. The slabs are freed when the allocator and all its
 * buffers are unreachable; the slab of a single worker some time after its end.
 *
 * <p>Thread-safe. Source: Stingy Allocator (ISMM'06), section 3.1, with the size of a buffer in
 * place of its allocation site; {@link MelyEventLoopGroupBuilder#workingSet} uses it.
 */
public final class StingyAllocator extends AbstractByteBufAllocator
    implements ByteBufAllocatorMetricProvider {
  /** Largest slab in bytes. */
  public static final int MAX_WORKING_SET = 1 << 30;

  private final AdaptiveByteBufAllocator fallback = new AdaptiveByteBufAllocator();
  private final ByteBufAllocatorMetric metric = new Metric();
  private final Slabs slabs;

  /** Makes an allocator whose slabs have half of the L2 cache that a CPU has for itself. */
  public StingyAllocator() {
    this(defaultWorkingSet());
  }

  /**
   * Makes an allocator.
   *
   * @param workingSet size of each core's slab in bytes, from 0 (all buffers come from the
   *     fallback) to {@link #MAX_WORKING_SET}; a rest that is too small for blocks of all sizes is
   *     not used
   * @throws IllegalArgumentException if out of range
   */
  public StingyAllocator(int workingSet) {
    super(true);
    if (workingSet < 0 || workingSet > MAX_WORKING_SET) {
      throw new IllegalArgumentException(
          "workingSet must be between 0 and " + MAX_WORKING_SET + " bytes, but is " + workingSet);
    }
    this.slabs = new Slabs(this, fallback, workingSet);
  }

  /** Half of the private L2 cache of the machine's first CPU, in bytes. */
  static int defaultWorkingSet() {
    return (int) Math.min(Pool.defaultBytes(), MAX_WORKING_SET);
  }

  Slabs slabs() {
    return slabs;
  }

  @Override
  protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
    return toLeakAwareBuffer(slabs.newBuffer(initialCapacity, maxCapacity));
  }

  @Override
  protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
    return fallback.heapBuffer(initialCapacity, maxCapacity);
  }

  @Override
  public boolean isDirectBufferPooled() {
    return true;
  }

  // ---- Looking at it

  /** Returns the memory of the slabs and of the fallback, whether or not it is in use. */
  @Override
  public ByteBufAllocatorMetric metric() {
    return metric;
  }

  /**
   * Returns how much memory the direct buffers hold that workers have allocated and that have not
   * been freed: whole blocks, from the slabs or the fallback. Buffers of other threads do not
   * count.
   *
   * @return bytes, 0 or more
   */
  public long liveBytes() {
    return slabs.cores().mapToLong(CoreMemory::liveBytes).sum();
  }

  /**
   * Returns how many blocks came from the fallback, because a slab had no room, or no block that is
   * large enough.
   *
   * @return a recent number; workers that have ended some time ago do not count
   */
  public long fallbacks() {
    return slabs.cores().mapToLong(CoreMemory::fallbacks).sum();
  }

  /**
   * Returns how many blocks were allocated by threads that are no workers.
   *
   * @return a recent number
   */
  public long apart() {
    return slabs.apart();
  }

  /**
   * Returns what each core has.
   *
   * @return a snapshot: of the workers that have allocated something, in that order
   */
  public List<Core> cores() {
    return slabs.cores().map(StingyAllocator::core).toList();
  }

  private static Core core(CoreMemory memory) {
    return new Core(
        memory.name(),
        memory.slabBytes(),
        memory.liveBytes(),
        memory.peakLiveBytes(),
        memory.taken(),
        memory.fallbacks());
  }

  /**
   * What one core has.
   *
   * @param thread name of its worker's thread
   * @param slabBytes size of its slab in bytes
   * @param liveBytes bytes of the blocks that it has allocated and that have not been freed
   * @param peakLiveBytes the highest value of these
   * @param taken blocks from the slab so far
   * @param fallbacks blocks from the fallback so far
   */
  public record Core(
      String thread,
      long slabBytes,
      long liveBytes,
      long peakLiveBytes,
      long taken,
      long fallbacks) {
    /** Checks that there is a name. */
    public Core {
      Objects.requireNonNull(thread, "thread");
    }
  }

  private final class Metric implements ByteBufAllocatorMetric {
    @Override
    public long usedHeapMemory() {
      return fallback.usedHeapMemory();
    }

    @Override
    public long usedDirectMemory() {
      return fallback.usedDirectMemory() + slabs.cores().mapToLong(CoreMemory::slabBytes).sum();
    }

    @Override
    public String toString() {
      return "direct memory: "
          + usedDirectMemory()
          + " bytes, live: "
          + liveBytes()
          + ", fallbacks: "
          + fallbacks();
    }
  }
}
