package dev.mely.netty.memory;

import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.stage.Stages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The buffers of one core: what its thread has allocated and has not been freed yet, from the
 * core's slab or from the fallback.
 *
 * <p>The slab has size classes, powers of two from {@value #SMALLEST} to {@value #LARGEST} bytes,
 * with an equal part of the slab each. A request takes a block of its class or, if none is left, of
 * the next class or the one after that: so at least an eighth of a block is used, and mostly half
 * of it or more.
 *
 * <p>Where stages are recorded, a block counts as an object of the stage that allocates it, and of
 * the one that frees it: {@code buffer-2048} for a block of 2 KiB, even if the request was smaller.
 */
public final class CoreMemory {
  /** Smallest block of a slab in bytes. */
  static final int SMALLEST = 512;

  /** Largest block of a slab in bytes. */
  static final int LARGEST = 64 * 1024;

  private static final int SMALLEST_LOG = Integer.numberOfTrailingZeros(SMALLEST);
  private static final int CLASSES = Integer.numberOfTrailingZeros(LARGEST / SMALLEST) + 1;

  /** How many larger classes may take the place of one. */
  private static final int STAND_INS = 2;

  /** How many buffer objects a core keeps for later buffers. */
  private static final int MAX_FREE_BUFFERS = 1024;

  /** The names of blocks in the stages, by the power of two. */
  private static final String[] OBJECTS = new String[Integer.SIZE];

  static {
    Arrays.setAll(OBJECTS, log -> "buffer-" + (1L << log));
  }

  private final Slabs slabs;
  private final ByteBufAllocator fallback;
  private final Pool pool;
  private final Thread thread = Thread.currentThread();

  /** Bytes from the fallback that have not been freed. */
  private final AtomicLong fallbackBytes = new AtomicLong();

  /** Owner only: buffer objects for later buffers. */
  private final ArrayDeque<StingyBuf> freeBuffers = new ArrayDeque<>();

  // Written by the owner, read by any thread.
  private final AtomicLong fallbacks = new AtomicLong();
  private volatile long peak;

  /** Called by the thread that frees a block; null until a read has been delayed. */
  private volatile @Nullable Runnable listener;

  /** Made by the core's thread: memory is placed near the CPU that touches it first. */
  CoreMemory(Slabs slabs, ByteBufAllocator fallback, int slabBytes) {
    this.slabs = slabs;
    this.fallback = fallback;
    this.pool = new Pool(plan(slabBytes));
  }

  /** The size classes of a slab, with an equal part of it each. */
  static List<PoolObject> plan(int slabBytes) {
    List<PoolObject> plan = new ArrayList<>();
    for (int size = SMALLEST; size <= LARGEST; size *= 2) {
      plan.add(new PoolObject(objectOf(size), size, slabBytes / CLASSES / size));
    }
    return plan;
  }

  /** The name of a block of a size in the stages; the size is rounded up to a power of two. */
  static String objectOf(int bytes) {
    return OBJECTS[bytes <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1)];
  }

  // ---- Owner

  StingyBuf newBuffer(int initialCapacity, int maxCapacity) {
    StingyBuf buffer = freeBuffers.pollLast();
    if (buffer == null) {
      buffer = new StingyBuf(slabs, this);
    }
    buffer.begin(newBlock(initialCapacity), initialCapacity, maxCapacity);
    return buffer;
  }

  Block newBlock(int bytes) {
    Block block = bytes <= LARGEST ? take(bytes) : null;
    if (block == null) {
      block = new FallbackBlock(fallback.directBuffer(bytes, bytes), this);
      fallbacks.getAndIncrement(); // not before: there may be no memory
      fallbackBytes.getAndAdd(block.memory.capacity());
    }
    int size = block.memory.capacity();
    Stages.allocated(objectOf(size), size);
    long live = liveBytes();
    if (live > peak) {
      peak = live;
    }
    return block;
  }

  private @Nullable Block take(int bytes) {
    int first = classOf(bytes);
    int last = Math.min(first + STAND_INS, CLASSES - 1);
    for (int object = first; object <= last; object++) {
      Instance instance = pool.take(object);
      if (instance != null) {
        if (instance.attachment() instanceof SlabBlock slabBlock) {
          return slabBlock;
        }
        SlabBlock slabBlock = new SlabBlock(instance, this);
        instance.attach(slabBlock);
        return slabBlock;
      }
    }
    return null;
  }

  /** The first class whose blocks are large enough. */
  private static int classOf(int bytes) {
    return bytes <= SMALLEST ? 0 : 32 - Integer.numberOfLeadingZeros(bytes - 1) - SMALLEST_LOG;
  }

  /** Sets what is called when a block has been freed: by any thread, so it must be short. */
  void listener(Runnable newListener) {
    listener = newListener;
  }

  // ---- Any thread

  /**
   * Keeps the object of a buffer that has been freed, if that takes no lock: on the owner's thread.
   */
  void recycle(StingyBuf buffer) {
    if (Thread.currentThread() == thread && freeBuffers.size() < MAX_FREE_BUFFERS) {
      freeBuffers.addLast(buffer);
    }
  }

  private void freed() {
    Runnable told = listener;
    if (told != null) {
      // Dekker pattern: the listener sees the free memory, or this thread sees that a read waits.
      VarHandle.fullFence();
      told.run();
    }
  }

  boolean isAlive() {
    return thread.isAlive();
  }

  /** The name of the core's thread. */
  public String name() {
    return thread.getName();
  }

  /** The size of the slab in bytes. */
  public long slabBytes() {
    return pool.bytes();
  }

  /** Blocks in use, in bytes: from the slab and from the fallback. */
  public long liveBytes() {
    return pool.liveBytes() + fallbackBytes.get();
  }

  /** Their highest value so far. */
  public long peakLiveBytes() {
    return peak;
  }

  /** Blocks from the slab so far. */
  public long taken() {
    return pool.statistics().taken();
  }

  /** Blocks from the fallback so far. */
  public long fallbacks() {
    return fallbacks.get();
  }

  /** The core's thread ends: no more is taken; blocks in use are freed as before. */
  void close() {
    pool.close();
    freeBuffers.clear();
  }

  /** A block of the slab: one object for the life of the instance. */
  private static final class SlabBlock extends Block {
    private final Instance instance;
    private final CoreMemory owner;

    SlabBlock(Instance instance, CoreMemory owner) {
      super(instance.memory());
      this.instance = instance;
      this.owner = owner;
    }

    @Override
    void free() {
      Stages.freed(objectOf(memory.capacity()), memory.capacity());
      owner.pool.free(instance);
      owner.freed();
    }
  }

  /** A block from Netty's allocator. */
  static final class FallbackBlock extends Block {
    private final ByteBuf buffer;
    private final @Nullable CoreMemory owner;

    /**
     * @param owner counts it; null: it is not counted
     */
    FallbackBlock(ByteBuf buffer, @Nullable CoreMemory owner) {
      super(
          buffer.nioBuffer(0, buffer.capacity()),
          buffer.hasMemoryAddress() ? buffer.memoryAddress() : 0);
      this.buffer = buffer;
      this.owner = owner;
    }

    @Override
    void free() {
      int bytes = memory.capacity();
      buffer.release();
      if (owner != null) {
        Stages.freed(objectOf(bytes), bytes);
        owner.fallbackBytes.getAndAdd(-bytes);
        owner.freed();
      }
    }
  }
}
