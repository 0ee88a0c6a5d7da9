package dev.mely;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Tells a future that there is room again. It stands in the lines of {@link Overload} as a producer
 * does that waits, but takes no room, and no thread waits for it.
 *
 * <pre>
 *   look --room--> future complete
 *    |  ^
 *    |  | in its turn
 *    v  |
 *   in line --woken--> an event of a color of its own
 * </pre>
 *
 * <p>It is woken by the worker that makes room, just before that runs an event. What depends on the
 * future must not run there; hence the event, which needs no room.
 */
final class RoomNotice extends Event implements Host.Parker {
  private static final Handler<RoomNotice> LOOK =
      new Handler<>(Work.MEASURED) {
        @Override
        public void handle(RoomNotice notice) {
          notice.woken.set(false);
          notice.look();
        }

        @Override
        protected void rejected(RoomNotice notice) {
          notice.end();
        }

        @Override
        public String stage() {
          return "room again";
        }
      };

  private final Scheduler scheduler;
  private final Overload overload;
  private final WaitingProducer place;
  private final Color turn;
  private final CompletableFuture<Void> result = new CompletableFuture<>();

  /** Whether the event is registered, or about to be: it may be woken twice. */
  private final AtomicBoolean woken = new AtomicBoolean();

  RoomNotice(Scheduler scheduler, Overload overload, Color color) {
    super(false);
    this.scheduler = scheduler;
    this.overload = overload;
    this.place = new WaitingProducer(overload.rooms(color), false, this);
    this.turn = scheduler.newColor(color.core(), false);
  }

  /** Looks for room, and gets into line if there is none. */
  @SuppressWarnings("FutureReturnValueIgnored") // what depends on it throws nothing
  CompletableFuture<Void> begin() {
    overload.begin(place);
    try {
      look();
      result.whenComplete((none, thrown) -> overload.leave(place)); // also if it is cancelled
    } catch (Throwable t) {
      overload.leave(place); // the caller gets no future: nobody would cancel it
      throw t;
    }
    return result;
  }

  private void look() {
    if (scheduler.phase() != Scheduler.OPEN) {
      end();
    } else if (overload.findsRoom(place)) {
      result.complete(null);
    }
  }

  /** The runtime ends. */
  private void end() {
    Reply.fail(result, new RejectedExecutionException(Scheduler.SHUT_DOWN));
  }

  @Override
  public void park() {
    throw new AssertionError("no thread waits for room here");
  }

  /** Any thread; when the end begins, the one that ends the runtime. */
  @Override
  public void unpark() {
    if (scheduler.phase() != Scheduler.OPEN) {
      if (scheduler.currentCore() == null) {
        end();
      } // else a worker is about to run an event, and the end wakes all that wait
      return;
    }
    StackReserve.check();
    if (woken.compareAndSet(false, true)) {
      attach(LOOK);
      scheduler.enter(turn, this, null, false);
    }
  }
}
