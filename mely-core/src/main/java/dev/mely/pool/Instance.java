package dev.mely.pool;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of a core's slab, from {@link Pool#take} to {@link Pool#free}.
 *
 * <p>Its memory belongs to the code that has taken it, and may be handed to another thread as any
 * other object. The instance and its {@link #memory} are the same objects each time: code that
 * keeps them after {@link Pool#free} may overwrite the data of the next user.
 */
@SuppressWarnings("UnusedVariable") // a field that is touched through its VarHandle alone
public final class Instance {
  private static final int FREE = 0;
  private static final int TAKEN = 1;

  private static final VarHandle STATE;

  static {
    try {
      STATE = MethodHandles.lookup().findVarHandle(Instance.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Pool pool;
  private final int object;
  private final ByteBuffer memory;

  /** Left by the owner of the pool with a plain write; the thread that frees it enters FREE. */
  private int state;

  /** The next in the pool's stack of returned instances; written before this one is pushed. */
  @Nullable Instance next;

  /** The owner of the pool, or the thread that has taken the instance. */
  private @Nullable Object attachment;

  Instance(Pool pool, int object, ByteBuffer memory) {
    this.pool = pool;
    this.object = object;
    this.memory = memory;
  }

  /**
   * Returns the pool that it belongs to.
   *
   * @return always the same
   */
  public Pool pool() {
    return pool;
  }

  /**
   * Returns which object of the plan it is an instance of.
   *
   * @return index in {@link Pool#objects}
   */
  public int object() {
    return object;
  }

  /**
   * Returns the memory: direct, big-endian, of exactly the object's size in bytes; its content is
   * what the last user has left. Position and limit are those of a buffer that was cleared when the
   * instance was taken.
   *
   * @return always the same buffer
   * @throws IllegalStateException if the instance is not taken
   */
  public ByteBuffer memory() {
    if ((int) STATE.getOpaque(this) != TAKEN) {
      throw new IllegalStateException(this + " is not taken");
    }
    return memory;
  }

  /**
   * Keeps an object with the instance, across {@link Pool#free} too: what its user has made of the
   * memory and would make again.
   *
   * @param newAttachment in place of the last one
   */
  public void attach(Object newAttachment) {
    attachment = Objects.requireNonNull(newAttachment, "newAttachment");
  }

  /**
   * Returns what was attached last.
   *
   * @return null if nothing was
   */
  public @Nullable Object attachment() {
    return attachment;
  }

  /**
   * Gives it back to its pool: {@link Pool#free}. Any thread.
   *
   * @throws IllegalStateException if it has been freed already
   */
  public void free() {
    pool.free(this);
  }

  /** The owner of the pool, to which it has come back: no other thread can see it. */
  void taken() {
    memory.clear();
    STATE.setOpaque(this, TAKEN);
  }

  /** Any thread. False: it has been freed already, or never taken. */
  boolean freed() {
    return STATE.compareAndSet(this, TAKEN, FREE); // one of two at once
  }

  @Override
  public String toString() {
    return "instance of " + pool.objects().get(object).name();
  }
}
