package dev.mely;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * Back-pressure: bounds on pending events, per color and in all. Decides which event is let in,
 * which producer waits, and which event is dropped. Nothing is silent: an event that is not let in
 * is refused with an error, one that is dropped is {@linkplain Handler#rejected rejected}, and all
 * are counted.
 *
 * <p>An event takes its {@link Room} before it is linked to its color, and gives it back when it is
 * taken out. Events of timers need none: there is at most one a timer; nor do those that
 * {@linkplain Event#Event(boolean) say so}. An event over several colors takes room in each of
 * them, and once in all. Handlers that are {@linkplain Handler#isDroppable droppable} may fill
 * twice the room; when their color has its turn, the oldest events go until the rest fits.
 *
 * <h2>Waiting</h2>
 *
 * <p>A producer waits in the line of the bound that it has found full, and holds no room meanwhile.
 * A place that is freed wakes the first producer in its line, which tries again beside all others
 * that come. An event that leaves frees two places at most, in its color and in all, so a core's
 * work for waiting producers does not grow with their number. No wake-up is lost: a producer that
 * has been woken for a place and cannot take it, or leaves without it (interrupted, refused at the
 * end), wakes the next one. A producer that has a place in its color and finds the runtime full
 * remembers that place, or all that wait for the color would be woken in vain, one after the other.
 * It goes to the end of the runtime's line, so that the colors take turns.
 *
 * <p>Dekker pattern: a producer counts itself, then looks for room; another thread makes room, then
 * looks for producers. All four accesses are sequentially consistent, so at least one sees the
 * other. The lines are guarded by this object's monitor. Producers park outside of it, so that a
 * virtual thread leaves its carrier.
 *
 * <p>Any thread.
 */
final class Overload {
  /** How often a wake-up that fails, for lack of memory, is tried. */
  private static final int WAKE_TRIES = 3;

  private final Scheduler scheduler;
  private final int maxPerColor;
  private final boolean blocks;

  /** Of all events; null: they are not bounded. */
  private final @Nullable Room inAll;

  /** Where an event needs room if colors are not bounded. */
  private final Room[] onlyInAll;

  private final LongAdder refused = new LongAdder();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder blocked = new LongAdder();

  /** Producers that wait for room. */
  private final Set<WaitingProducer> waiters = new HashSet<>();

  /** How many those are. Written under this object's monitor. */
  private volatile int waiting;

  private Overload(Scheduler scheduler, Settings settings) {
    this.scheduler = scheduler;
    this.maxPerColor = settings.maxPendingPerColor;
    this.blocks = settings.blocksProducers;
    this.inAll = settings.maxPending > 0 ? new Room(settings.maxPending, null) : null;
    this.onlyInAll = inAll == null ? new Room[0] : new Room[] {inAll};
  }

  /** Null if the settings know no bound. */
  static @Nullable Overload of(Scheduler scheduler, Settings settings) {
    boolean bounded = settings.maxPending > 0 || settings.maxPendingPerColor > 0;
    return bounded ? new Overload(scheduler, settings) : null;
  }

  /** A color whose events are counted, if they are bounded. */
  Color newColor(Host host, int core, boolean pinned) {
    return maxPerColor > 0
        ? new BoundedColor(host, core, pinned, maxPerColor, inAll)
        : new Color(host, core, pinned);
  }

  // ---- Producers

  /**
   * Takes room for an event.
   *
   * @throws RejectedExecutionException if there is none
   */
  void admit(Color color, Event event) {
    admit(rooms(color), isDroppable(event));
  }

  /** As {@link #admit(Color, Event)}, without waiting; returns false if there is no room. */
  boolean tryAdmit(Color color, Event event) {
    boolean admitted = findFull(rooms(color), isDroppable(event)) == null;
    if (!admitted) {
      refused.increment();
    }
    return admitted;
  }

  /** Where an event of the color needs room. */
  Room[] rooms(Color color) {
    return maxPerColor > 0 ? ((BoundedColor) color).rooms : onlyInAll;
  }

  private static boolean isDroppable(Event event) {
    Handler<?> handler = event.handler();
    return handler != null && !(event instanceof SpecialEvent) && handler.isDroppable();
  }

  /**
   * Takes room for an event over several colors, everywhere or nowhere, so that no producer waits
   * while it holds room: in each of them, and once in all.
   *
   * @throws RejectedExecutionException if there is none
   */
  void admit(Color[] colors) {
    admit(rooms(colors), false);
  }

  private Room[] rooms(Color[] colors) {
    if (maxPerColor == 0) {
      return onlyInAll;
    }
    Room[] rooms = new Room[colors.length + onlyInAll.length];
    for (int i = 0; i < colors.length; i++) {
      rooms[i] = ((BoundedColor) colors[i]).room;
    }
    System.arraycopy(onlyInAll, 0, rooms, colors.length, onlyInAll.length);
    return rooms;
  }

  private void admit(Room[] rooms, boolean droppable) {
    Room full = findFull(rooms, droppable);
    if (full == null) {
      return;
    }
    boolean waits = blocks && scheduler.currentCore() == null;
    String reason = waits ? await(rooms, droppable) : full.toString();
    if (!reason.isEmpty()) {
      refused.increment();
      throw new RejectedExecutionException(reason);
    }
  }

  /** As {@link #tryTake}; passes on what was taken in vain. */
  private @Nullable Room findFull(Room[] rooms, boolean droppable) {
    Room full = tryTake(rooms, droppable);
    if (full != null && waiting > 0) {
      offer(rooms, full); // another producer may have missed what was held here for a moment
    }
    return full;
  }

  /**
   * Takes room under all bounds, or under none.
   *
   * @return the bound that is full; null: room has been taken
   */
  private static @Nullable Room tryTake(Room[] rooms, boolean droppable) {
    for (int i = 0; i < rooms.length; i++) {
      if (!rooms[i].tryTake(droppable)) {
        for (int taken = 0; taken < i; taken++) {
          rooms[taken].giveBack();
        }
        return rooms[i];
      }
    }
    return null;
  }

  /** Waits for room. Returns an empty text, or the reason why there is none. */
  private String await(Room[] rooms, boolean droppable) {
    WaitingProducer self = new WaitingProducer(rooms, droppable, scheduler.host.newParker());
    blocked.increment();
    begin(self);
    Room full = null;
    try {
      while (scheduler.phase() == Scheduler.OPEN) {
        full = tryOrWait(self);
        if (full == null) {
          return "";
        }
        wakeNext(self);
        self.parker.park();
      }
      return Scheduler.SHUT_DOWN;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted while waiting for room: " + full;
    } finally {
      leave(self);
    }
  }

  /** Whether there is room now, which is not taken; else it gets into line. */
  boolean findsRoom(WaitingProducer self) {
    boolean found = findOrWait(self);
    wakeNext(self);
    return found;
  }

  private synchronized boolean findOrWait(WaitingProducer self) {
    if (!waiters.contains(self)) {
      return false; // it has left
    }
    leaveLine(self);
    for (Room room : self.rooms) {
      if (!room.hasRoom()) {
        getIntoLine(self, room);
        return false;
      }
    }
    return true;
  }

  /** It waits no longer. */
  void leave(WaitingProducer self) {
    end(self);
    wakeNext(self);
  }

  synchronized void begin(WaitingProducer self) {
    waiters.add(self);
    waiting = waiters.size();
  }

  /**
   * Takes room, or gets into line.
   *
   * @return the bound in whose line it waits; null: room has been taken
   */
  private synchronized @Nullable Room tryOrWait(WaitingProducer self) {
    leaveLine(self);
    Room full = tryTake(self.rooms, self.droppable);
    if (full == null) {
      self.place = null;
      self.placeInAll = null;
      return null;
    }
    getIntoLine(self, full);
    return full;
  }

  /** It may have been woken without a place. */
  private static void leaveLine(WaitingProducer self) {
    if (self.line != null) {
      self.line.remove(self);
    }
  }

  private void getIntoLine(WaitingProducer self, Room full) {
    ProducerLine line = full.line(self.droppable);
    if (full == self.place || full == self.placeInAll) {
      line.addFirst(self); // it was first in line, and a newcomer took its place
    } else {
      line.addLast(self);
    }
    passOn(self, full == inAll);
  }

  /** Passes on the places that the producer was woken for; it may keep its color's. */
  private void passOn(WaitingProducer self, boolean keepsPlace) {
    if (!keepsPlace) {
      self.nextHere = next(self.place);
      self.place = null;
    }
    self.nextInAll = next(self.placeInAll);
    self.placeInAll = null;
  }

  private synchronized void end(WaitingProducer self) {
    leaveLine(self);
    waiters.remove(self);
    waiting = waiters.size();
    passOn(self, false);
  }

  /**
   * Outside of the monitor: if a wake-up fails, the user's error handler is told. The first thread
   * that comes wakes both: a {@link RoomNotice} has several.
   */
  private void wakeNext(WaitingProducer self) {
    @Nullable WaitingProducer here;
    @Nullable WaitingProducer overAll;
    synchronized (this) {
      here = self.nextHere;
      overAll = self.nextInAll;
      self.nextHere = null;
      self.nextInAll = null;
    }
    wake(here);
    wake(overAll);
  }

  // ---- Threads that make room

  /** Wakes a producer for a place that has just been freed. */
  private void freed(@Nullable Room room) {
    if (room != null && waiting > 0) {
      wake(take(room));
    }
  }

  private synchronized @Nullable WaitingProducer take(Room room) {
    return next(room);
  }

  /** Takes the first producer for a place out of its line. */
  private @Nullable WaitingProducer next(@Nullable Room room) {
    WaitingProducer next = room == null ? null : room.first();
    if (next != null && next.line != null) {
      next.line.remove(next);
      if (room == inAll) {
        next.placeInAll = room;
      } else {
        next.place = room;
      }
    }
    return next;
  }

  /** Wakes producers for the rooms that were taken and given back: all before the full one. */
  private void offer(Room[] rooms, Room full) {
    for (Room room : rooms) {
      if (room == full) {
        return;
      }
      freed(room);
    }
  }

  /** Throws nothing: the caller is about to run an event. */
  private void wake(@Nullable WaitingProducer waiter) {
    for (int i = 0; waiter != null && i < WAKE_TRIES; i++) {
      try {
        waiter.parker.unpark();
        return;
      } catch (Throwable t) {
        scheduler.settings.errors.report(null, this, t);
      }
    }
  }

  /** The end has come: producers that wait are refused. */
  void wakeAll() {
    for (WaitingProducer waiter : all()) {
      wake(waiter);
    }
  }

  private synchronized WaitingProducer[] all() {
    return waiters.toArray(new WaitingProducer[0]);
  }

  // ---- The thread that holds the color

  /**
   * An event has been taken to be run.
   *
   * @return true if it has been dropped instead
   */
  boolean taken(Color color, Event event, Handler<Object> handler) {
    if (event instanceof SpecialEvent) {
      left(color, event);
      return false;
    }
    boolean drop = event.takesRoom() && isDroppable(handler) && isOver(color);
    left(color, event);
    Object payload = drop ? event.payload() : null;
    if (payload == null) {
      return false;
    }
    scheduler.rejection.tell(handler, payload);
    dropped.increment(); // last: it may need memory
    return true;
  }

  /** The handler has been asked before; if it fails now, its event is run. */
  private boolean isDroppable(Handler<Object> handler) {
    try {
      return handler.isDroppable();
    } catch (Throwable t) {
      scheduler.settings.errors.report(null, handler, t);
      return false;
    }
  }

  private boolean isOver(Color color) {
    return (maxPerColor > 0 && ((BoundedColor) color).room.isOverfull())
        || (inAll != null && inAll.isOverfull());
  }

  /** An event has left its color: its room is free. */
  void left(Color color, Event event) {
    Room place = maxPerColor > 0 && event.takesRoom() ? ((BoundedColor) color).room : null;
    Room placeInAll = event.takesRoomInAll() ? inAll : null;
    if (place != null) {
      place.giveBack();
    }
    if (placeInAll != null) {
      placeInAll.giveBack();
    }
    freed(place);
    freed(placeInAll);
  }

  // ---- Statistics

  /** How many producers and notices wait for room. */
  int waiting() {
    return waiting;
  }

  long refused() {
    return refused.sum();
  }

  long dropped() {
    return dropped.sum();
  }

  long blocked() {
    return blocked.sum();
  }
}
