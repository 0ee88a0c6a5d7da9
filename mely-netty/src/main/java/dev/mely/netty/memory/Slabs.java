package dev.mely.netty.memory;

import dev.mely.netty.blocking.WorkerThreads;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The direct buffers of an allocator: a {@link CoreMemory} for each worker, made when the worker
 * allocates for the first time. Buffers of other threads come from the fallback, and only their
 * number is counted. Thread-safe.
 */
public final class Slabs {
  private final ByteBufAllocator allocator;
  private final ByteBufAllocator fallback;
  private final int slabBytes;
  private final List<CoreMemory> cores = new CopyOnWriteArrayList<>();
  private final LongAdder apart = new LongAdder();

  private final FastThreadLocal<@Nullable CoreMemory> ofThread =
      new FastThreadLocal<>() {
        @Override
        protected @Nullable CoreMemory initialValue() {
          return WorkerThreads.contains(Thread.currentThread()) ? newCore() : null;
        }

        @Override
        protected void onRemoval(@Nullable CoreMemory core) {
          if (core != null) {
            core.close();
          }
        }
      };

  /**
   * @param allocator the allocator of the buffers
   * @param fallback for buffers that have no room in a slab
   * @param slabBytes size of each core's slab, 0 or more
   */
  public Slabs(ByteBufAllocator allocator, ByteBufAllocator fallback, int slabBytes) {
    this.allocator = allocator;
    this.fallback = fallback;
    this.slabBytes = slabBytes;
  }

  private CoreMemory newCore() {
    cores.removeIf(core -> !core.isAlive() && core.liveBytes() == 0);
    CoreMemory core = new CoreMemory(this, fallback, slabBytes);
    cores.add(core);
    return core;
  }

  ByteBufAllocator allocator() {
    return allocator;
  }

  /** The memory of the calling thread; null if that is no worker. */
  @Nullable CoreMemory current() {
    return ofThread.get();
  }

  /** A new buffer of the calling thread: empty, with a reference count of 1. */
  public ByteBuf newBuffer(int initialCapacity, int maxCapacity) {
    CoreMemory core = current();
    if (core != null) {
      return core.newBuffer(initialCapacity, maxCapacity);
    }
    StingyBuf buffer = new StingyBuf(this, null);
    buffer.begin(newBlockApart(initialCapacity), initialCapacity, maxCapacity);
    return buffer;
  }

  /** A new block for a buffer of the calling thread. */
  Block newBlock(int bytes) {
    CoreMemory core = current();
    return core != null ? core.newBlock(bytes) : newBlockApart(bytes);
  }

  private Block newBlockApart(int bytes) {
    Block block = new CoreMemory.FallbackBlock(fallback.directBuffer(bytes, bytes), null);
    apart.increment();
    return block;
  }

  /** The memories of the workers that have allocated, in the order of their first allocation. */
  public Stream<CoreMemory> cores() {
    return cores.stream();
  }

  /** How many blocks were allocated by threads that are no workers; a recent number. */
  public long apart() {
    return apart.sum();
  }
}
