package dev.mely.pool;

import dev.mely.topology.Topology;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The memory of one core: a slab outside the heap, divided into a fixed number of instances of each
 * object of a plan. It hands out no more than that.
 *
 * <pre>{@code
 * Pool pool = new Pool(List.of(new PoolObject("request", 2048, 100)));
 * Instance request = pool.take(0);
 * ByteBuffer memory = request != null ? request.memory() : ByteBuffer.allocateDirect(2048);
 * }</pre>
 *
 * <p>A pool belongs to the thread that first {@linkplain #take takes} from it: to take costs no
 * atomic operation. Any thread may {@link #free}; what other threads free waits on a Treiber stack,
 * which the owner takes as a whole when it has nothing left:
 *
 * <pre>
 *   stock (owner) --take--> TAKEN --free by the owner--------------------------> stock
 *                                 --free by others--> returned --owner runs out--^
 * </pre>
 *
 * <p>An instance that is freed twice is refused, unless it has been taken in between.
 *
 * <p>The slab begins at a cache line, as does each instance. It is not given back to the system
 * before the pool and all instances are unreachable; {@link #close} merely ends {@link #take}.
 *
 * <p>Source: Stingy Allocator (ISMM'06), section 3.1. One pool per core in place of one per machine
 * is this implementation's.
 */
@SuppressWarnings("UnusedVariable") // fields that are touched through their VarHandle alone
public final class Pool implements AutoCloseable {
  /** Bytes of a cache line; instances begin at multiples of it. */
  public static final int LINE = 64;

  /** Largest slab in bytes: just below 2 GiB. */
  public static final int MAX_BYTES = Integer.MAX_VALUE - LINE;

  /**
   * The share of a core's private L2 cache that {@link #defaultBytes} gives to its pool: one in
   * this many bytes. The rest is for code, stacks, and objects on the heap.
   */
  public static final int SHARE_OF_L2 = 2;

  /** What {@link #defaultBytes} returns where the cache is unknown, in bytes. */
  public static final int BYTES_IF_UNKNOWN = 256 * 1024;

  private static final VarHandle OWNER;
  private static final VarHandle RETURNED;
  private static final VarHandle FOREIGN_BYTES;
  private static final VarHandle FOREIGN_COUNT;
  private static final VarHandle COUNTER;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      OWNER = lookup.findVarHandle(Pool.class, "owner", Thread.class);
      RETURNED = lookup.findVarHandle(Pool.class, "returned", Instance.class);
      FOREIGN_BYTES = lookup.findVarHandle(Pool.class, "foreignBytes", long.class);
      FOREIGN_COUNT = lookup.findVarHandle(Pool.class, "foreignCount", long.class);
      COUNTER = MethodHandles.arrayElementVarHandle(long[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  // Indices of counters, which the owner alone writes, opaque, so that others read whole numbers.
  private static final int TAKEN = 0;
  private static final int TAKEN_BYTES = 1;
  private static final int FREED = 2;
  private static final int FREED_BYTES = 3;
  private static final int FALLBACKS = 4;
  private static final int PEAK = 5;

  private final List<PoolObject> objects;
  private final Stock[] stocks;
  private final long bytes;
  private final long[] counters = new long[6];

  private volatile @Nullable Thread owner;
  private volatile boolean closed;
  private volatile @Nullable IntConsumer listener;

  /** Freed by others, the last one first. Pushed by compare-and-set, taken as a whole. */
  private @Nullable Instance returned;

  private long foreignBytes;
  private long foreignCount;

  /**
   * Allocates the slab. No thread owns the pool yet.
   *
   * @param objects the plan
   * @throws IllegalArgumentException if the plan asks for more than 2 GiB, see {@link
   *     PoolObject#slabSize}
   * @throws OutOfMemoryError if there is no direct memory left
   */
  public Pool(List<PoolObject> objects) {
    this.objects = List.copyOf(Objects.requireNonNull(objects, "objects"));
    this.bytes = slabSize(this.objects);
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the plan asks for " + bytes + " bytes (expected: less than 2 GiB): " + objects);
    }
    ByteBuffer slab = ByteBuffer.allocateDirect((int) bytes + LINE).alignedSlice(LINE);
    List<Stock> made = new ArrayList<>();
    int at = 0;
    for (int object = 0; object < this.objects.size(); object++) {
      PoolObject planned = this.objects.get(object);
      Stock stock = new Stock(planned);
      for (int i = 0; i < planned.count(); i++) {
        stock.put(new Instance(this, object, slab.slice(at, planned.size())));
        at += (int) planned.slabSize();
      }
      made.add(stock);
    }
    this.stocks = made.toArray(Stock[]::new);
  }

  /**
   * Returns what a plan takes of a slab.
   *
   * @param objects the plan
   * @return size in bytes, with each instance at a cache line of its own
   */
  public static long slabSize(List<PoolObject> objects) {
    Objects.requireNonNull(objects, "objects");
    return objects.stream().mapToLong(object -> object.slabSize() * object.count()).sum();
  }

  /**
   * Returns how much memory a core's pool may have by default (the paper's τ): half of the L2 cache
   * that this machine's first CPU has for itself.
   *
   * @return size in bytes, a multiple of {@link #LINE}; {@link #BYTES_IF_UNKNOWN} if the cache is
   *     not known
   */
  public static long defaultBytes() {
    Topology machine = Topology.system();
    return defaultBytes(machine, machine.cpus()[0]);
  }

  static long defaultBytes(Topology topology, int cpu) {
    long cache = topology.privateL2Bytes(cpu);
    return cache < SHARE_OF_L2 * LINE ? BYTES_IF_UNKNOWN : cache / SHARE_OF_L2 & -LINE;
  }

  /**
   * Returns the plan.
   *
   * @return unmodifiable, as given
   */
  public List<PoolObject> objects() {
    return objects;
  }

  /**
   * Returns the size of the slab.
   *
   * @return bytes
   */
  public long bytes() {
    return bytes;
  }

  // ---- Owner

  /**
   * Takes an instance. The first call makes its thread the owner.
   *
   * @param object index in {@link #objects}
   * @return an instance for the caller alone; null if all are out, which counts as a fallback
   * @throws IllegalStateException if another thread is the owner, or the pool is closed
   * @throws IndexOutOfBoundsException if there is no such object
   */
  public @Nullable Instance take(int object) {
    checkOwner();
    if (closed) {
      throw new IllegalStateException("the pool is closed");
    }
    Stock stock = stocks[object];
    if (stock.size == 0) {
      takeBack();
    }
    if (stock.size == 0) {
      add(FALLBACKS, 1);
      return null;
    }
    Instance instance = stock.get();
    instance.taken();
    add(TAKEN, 1);
    add(TAKEN_BYTES, stock.slabSize);
    long live = liveBytes();
    if (live > counters[PEAK]) {
      COUNTER.setOpaque(counters, PEAK, live);
    }
    return instance;
  }

  /**
   * Returns how many instances {@link #take} would hand out now. Makes its thread the owner, as
   * that does.
   *
   * @param object index in {@link #objects}
   * @return 0 or more
   * @throws IllegalStateException if another thread is the owner
   * @throws IndexOutOfBoundsException if there is no such object
   */
  public int available(int object) {
    checkOwner();
    takeBack();
    return stocks[object].size;
  }

  private void checkOwner() {
    Thread current = Thread.currentThread();
    if (owner != current && !OWNER.compareAndSet(this, null, current)) {
      throw new IllegalStateException("the pool belongs to " + owner + ", and this is " + current);
    }
  }

  /** Moves what other threads have freed to the owner's stock. */
  private void takeBack() {
    if (RETURNED.getOpaque(this) == null) {
      return;
    }
    // Acquire: what their last users did with the instances has happened.
    Instance instance = (Instance) RETURNED.getAndSetAcquire(this, (Instance) null);
    while (instance != null) {
      Instance next = instance.next;
      instance.next = null;
      stocks[instance.object()].put(instance);
      instance = next;
    }
  }

  private void add(int counter, long value) {
    COUNTER.setOpaque(counters, counter, counters[counter] + value);
  }

  // ---- Any thread

  /**
   * Sets who is told of each instance that is freed: by the thread that has freed it, when {@link
   * #take} would find it.
   *
   * @param told is given the index of the object; should return soon, and throw nothing
   */
  public void listener(IntConsumer told) {
    listener = Objects.requireNonNull(told, "told");
  }

  /**
   * Gives an instance back. Any thread, also after {@link #close}.
   *
   * @param instance that was taken from this pool
   * @throws IllegalArgumentException if it is of another pool
   * @throws IllegalStateException if it has been freed already
   */
  public void free(Instance instance) {
    if (Objects.requireNonNull(instance, "instance").pool() != this) {
      throw new IllegalArgumentException(instance + " is of another pool");
    }
    if (!instance.freed()) {
      throw new IllegalStateException(instance + " has been freed already");
    }
    if (Thread.currentThread() == owner) {
      freeHere(instance);
    } else {
      freeElsewhere(instance);
    }
    IntConsumer told = listener;
    if (told != null) {
      told.accept(instance.object());
    }
  }

  private void freeHere(Instance instance) {
    Stock stock = stocks[instance.object()];
    stock.put(instance);
    add(FREED, 1);
    add(FREED_BYTES, stock.slabSize);
  }

  private void freeElsewhere(Instance instance) {
    Stock stock = stocks[instance.object()];
    // Counted before it can be taken again, so that the live bytes never exceed the slab.
    FOREIGN_COUNT.getAndAdd(this, 1L);
    FOREIGN_BYTES.getAndAdd(this, stock.slabSize);
    Instance top;
    do {
      top = (Instance) RETURNED.getOpaque(this);
      instance.next = top;
    } while (!RETURNED.weakCompareAndSetRelease(this, top, instance));
  }

  /**
   * Returns how much of the slab is out.
   *
   * @return bytes from 0 to {@link #bytes}, as parts of the slab; seen from another thread than the
   *     owner, of a moment ago
   */
  public long liveBytes() {
    // What is freed was taken before: in this order the difference is never negative.
    long freed =
        (long) FOREIGN_BYTES.getAcquire(this) + (long) COUNTER.getAcquire(counters, FREED_BYTES);
    return (long) COUNTER.getOpaque(counters, TAKEN_BYTES) - freed;
  }

  /**
   * Returns what the pool has done so far.
   *
   * @return a snapshot
   */
  public PoolStatistics statistics() {
    long returnedSoFar =
        (long) FOREIGN_COUNT.getAcquire(this) + (long) COUNTER.getAcquire(counters, FREED);
    return new PoolStatistics(
        (long) COUNTER.getOpaque(counters, TAKEN),
        returnedSoFar,
        (long) COUNTER.getOpaque(counters, FALLBACKS),
        liveBytes(),
        (long) COUNTER.getOpaque(counters, PEAK));
  }

  /** Ends {@link #take}. What is out stays valid, and may be freed later. */
  @Override
  public void close() {
    closed = true;
  }

  @Override
  public String toString() {
    return "Pool" + objects;
  }

  /** The instances of one object that can be taken: the last one first, its lines are warm. */
  private static final class Stock {
    final long slabSize;
    private final Instance[] instances;
    int size;

    Stock(PoolObject object) {
      this.slabSize = object.slabSize();
      this.instances = new Instance[object.count()];
    }

    void put(Instance instance) {
      instances[size++] = instance;
    }

    Instance get() {
      return instances[--size];
    }
  }
}
