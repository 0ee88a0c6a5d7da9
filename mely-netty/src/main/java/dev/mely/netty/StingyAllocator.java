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

/**
 * Direct buffers from one slab per core, small enough to stay in the core's cache. What has no room
 * there comes from Netty's {@link AdaptiveByteBufAllocator}, as do buffers of threads that are no
 * workers of a {@link MelyEventLoopGroup}, and all heap buffers.
 *
 * <pre>{@code
 * StingyAllocator allocator = new StingyAllocator();
 * bootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
 * }</pre>
 *
 * <p>A worker takes from its slab without atomic operations. Any thread may free; the memory goes
 * back to the slab that it is from. A channel that another core has taken over allocates from the
 * slab of that core. A buffer that grows out of its block moves to a larger one, in the slab of the
 * core where that happens or beside it.
 *
 * <p>Reference counts, leak detection, slices and growth are those of Netty's buffers; slices and
 * duplicates share the count of their buffer. The slabs are given back when the allocator and all
 * its buffers are unreachable, that of a single worker some time after its end.
 *
 * <p>Thread-safe. Source: Stingy Allocator (ISMM'06), section 3.1, with the size of a buffer in
 * place of its allocation site; it stands behind {@link MelyEventLoopGroupBuilder#workingSet}.
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
   * @param workingSet size of each core's slab in bytes, from 0 (all comes from the fallback) to
   *     {@link #MAX_WORKING_SET}; what does not make up whole blocks of all sizes is not used
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
   * Returns how much memory the direct buffers hold that workers have allocated and nobody has
   * freed: whole blocks, in the slabs or beside them. Buffers of other threads do not count.
   *
   * @return bytes, 0 or more
   */
  public long liveBytes() {
    return slabs.cores().mapToLong(CoreMemory::liveBytes).sum();
  }

  /**
   * Returns how often there was no room in a slab, or the block would have been larger than any.
   *
   * @return a recent number; the workers that have ended some time ago do not count
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
   * @param liveBytes bytes of the blocks that it has allocated and nobody has freed
   * @param peakLiveBytes the most that these have been
   * @param taken blocks from the slab so far
   * @param fallbacks blocks from the fallback so far
   */
  public record Core(
      String thread,
      long slabBytes,
      long liveBytes,
      long peakLiveBytes,
      long taken,
      long fallbacks) {}

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
