package dev.mely;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * One bound on pending events, of a color or of all: how many events have taken room under it, and
 * which producers wait for some. Events of {@linkplain Handler#isDroppable droppable} handlers may
 * fill twice the room, and so they wait in a line of their own.
 *
 * <p>Room is taken and given back by any thread; the lines are guarded by {@link Overload}.
 */
final class Room {
  private static final VarHandle TAKEN;

  static {
    try {
      TAKEN = MethodHandles.lookup().findVarHandle(Room.class, "taken", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long limit;

  /** Of which color; null: of all. */
  private final @Nullable Color color;

  /** Events that have taken room and not given it back. */
  @SuppressWarnings("UnusedVariable") // through its VarHandle
  private long taken;

  /** Made when a producer waits for the first time. */
  private @Nullable ProducerLine ordinary;

  private @Nullable ProducerLine droppable;

  Room(long limit, @Nullable Color color) {
    this.limit = limit;
    this.color = color;
  }

  // ---- Any thread

  /** Takes room for one event, if there is some. */
  boolean tryTake(boolean mayDrop) {
    long most = mayDrop ? 2 * limit : limit;
    while (true) {
      long now = taken();
      if (now >= most) {
        return false;
      }
      if (TAKEN.compareAndSet(this, now, now + 1)) {
        return true;
      }
    }
  }

  /** Whether there is room for one event that may not be dropped. */
  boolean hasRoom() {
    return taken() < limit;
  }

  void giveBack() {
    TAKEN.getAndAdd(this, -1L);
  }

  long taken() {
    return (long) TAKEN.getVolatile(this);
  }

  /** Whether droppable events have taken more than the bound. */
  boolean isOverfull() {
    return taken() > limit;
  }

  // ---- Under the lock of Overload

  /** The line in which such a producer waits. */
  ProducerLine line(boolean mayDrop) {
    ProducerLine line = mayDrop ? droppable : ordinary;
    if (line == null) {
      line = new ProducerLine();
      if (mayDrop) {
        droppable = line;
      } else {
        ordinary = line;
      }
    }
    return line;
  }

  /** The first producer in line for whom there is room now; null: there is none. */
  @Nullable WaitingProducer first() {
    long now = taken();
    WaitingProducer first = now < limit && ordinary != null ? ordinary.first() : null;
    if (first == null && now < 2 * limit && droppable != null) {
      first = droppable.first();
    }
    return first;
  }

  /** Says that it is full. */
  @Override
  public String toString() {
    String whose = color == null ? "the runtime" : color.toString();
    return whose + " has " + limit + " pending events, as many as it may have";
  }
}
