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
 * The buffers of one core: what its thread has allocated and nobody has freed yet, from the core's
 * slab or from the fallback.
 *
 * <p>The slab has size classes, powers of two from {@value #SMALLEST} to {@value #LARGEST} bytes,
 * an equal part of it each. A request takes its class or, if that has nothing left, the next one or
 * the one after that: so at most one part in eight of a block is used, and mostly half of it or
 * more.
 *
 * <p>Where stages are recorded, a block is an object of the stage that allocates it, and of the one
 * that frees it: {@code buffer-2048} for one of 2 KiB, whatever the request was.
 */
public final class CoreMemory {
  /** Smallest block of a slab in bytes. */
  static final int SMALLEST = 512;

  /** Largest block of a slab in bytes. */
  static final int LARGEST = 64 * 1024;

  private static final int SMALLEST_LOG = Integer.numberOfTrailingZeros(SMALLEST);
  private static final int CLASSES = Integer.numberOfTrailingZeros(LARGEST / SMALLEST) + 1;

  /** How many larger classes may stand in for one. */
  private static final int STAND_INS = 2;

  /** How many buffer objects a core keeps for the next buffers. */
  private static final int MAX_KEPT = 1024;

  /** What stages know blocks by, for each power of two. */
  private static final String[] OBJECTS = new String[Integer.SIZE];

  static {
    Arrays.setAll(OBJECTS, log -> "buffer-" + (1L << log));
  }

  private final Slabs slabs;
  private final ByteBufAllocator fallback;
  private final Pool pool;
  private final Thread thread = Thread.currentThread();

  /** Bytes from the fallback that have not been freed. */
  private final AtomicLong beside = new AtomicLong();

  /** Owner only. */
  private final ArrayDeque<StingyBuf> kept = new ArrayDeque<>();

  // Written by the owner, read by anybody.
  private final AtomicLong fallbacks = new AtomicLong();
  private volatile long peak;

  /** Told of what is freed, by whoever frees; null while nobody cares. */
  private volatile @Nullable Runnable listener;

  /** Made by the core's thread: what it touches first is near it. */
  CoreMemory(Slabs slabs, ByteBufAllocator fallback, int slabBytes) {
    this.slabs = slabs;
    this.fallback = fallback;
    this.pool = new Pool(plan(slabBytes));
  }

  /** The size classes of a slab: an equal part for each. */
  static List<PoolObject> plan(int slabBytes) {
    List<PoolObject> plan = new ArrayList<>();
    for (int size = SMALLEST; size <= LARGEST; size *= 2) {
      plan.add(new PoolObject(objectOf(size), size, slabBytes / CLASSES / size));
    }
    return plan;
  }

  /** What stages know blocks of a size by: the next power of two, if it is none. */
  static String objectOf(int bytes) {
    return OBJECTS[bytes <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(bytes - 1)];
  }

  // ---- Owner

  StingyBuf newBuffer(int initialCapacity, int maxCapacity) {
    StingyBuf buffer = kept.pollLast();
    if (buffer == null) {
      buffer = new StingyBuf(slabs, this);
    }
    buffer.begin(newBlock(initialCapacity), initialCapacity, maxCapacity);
    return buffer;
  }

  Block newBlock(int bytes) {
    Block block = bytes <= LARGEST ? take(bytes) : null;
    if (block == null) {
      fallbacks.getAndIncrement();
      block = new Spare(fallback.directBuffer(bytes, bytes), this);
      beside.getAndAdd(block.memory.capacity());
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
        if (instance.attachment() instanceof Piece piece) {
          return piece;
        }
        Piece piece = new Piece(instance, this);
        instance.attach(piece);
        return piece;
      }
    }
    return null;
  }

  /** The first class whose blocks are large enough. */
  private static int classOf(int bytes) {
    return bytes <= SMALLEST ? 0 : 32 - Integer.numberOfLeadingZeros(bytes - 1) - SMALLEST_LOG;
  }

  /** Who hears from now on that something has been freed. Called by any thread; must be short. */
  void listener(Runnable newListener) {
    listener = newListener;
  }

  // ---- Any thread

  /** Keeps the object of a buffer that has been freed, if that costs nothing. */
  void recycle(StingyBuf buffer) {
    if (Thread.currentThread() == thread && kept.size() < MAX_KEPT) {
      kept.addLast(buffer);
    }
  }

  private void freed() {
    Runnable told = listener;
    if (told != null) {
      // Either the listener sees that it is freed, or this sees that the listener waits.
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

  /** Blocks in use, in bytes: those of the slab and those beside it. */
  public long liveBytes() {
    return pool.liveBytes() + beside.get();
  }

  /** The most that these have been. */
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

  /** The core's thread ends: nothing is taken any more, what is out is freed as ever. */
  void close() {
    pool.close();
    kept.clear();
  }

  /** A block of the slab: one object for the life of the instance. */
  private static final class Piece extends Block {
    private final Instance instance;
    private final CoreMemory owner;

    Piece(Instance instance, CoreMemory owner) {
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
  static final class Spare extends Block {
    private final ByteBuf buffer;
    private final @Nullable CoreMemory owner;

    /**
     * @param owner keeps account of it; null: nobody does
     */
    Spare(ByteBuf buffer, @Nullable CoreMemory owner) {
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
        owner.beside.getAndAdd(-bytes);
        owner.freed();
      }
    }
  }
}
