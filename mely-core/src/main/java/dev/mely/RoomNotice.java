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
  CompletableFuture<Void> begin() {
    overload.begin(place);
    look();
    return result;
  }

  private void look() {
    if (result.isDone() || scheduler.phase() != Scheduler.OPEN) {
      end();
    } else if (overload.findsRoom(place)) {
      result.complete(null);
    }
  }

  /** The runtime ends, or the future has been cancelled. */
  private void end() {
    overload.leave(place);
    Submission.fail(result, new RejectedExecutionException(Scheduler.SHUT_DOWN));
  }

  @Override
  public void park() {
    throw new AssertionError("no thread waits for room here");
  }

  /** Any thread. */
  @Override
  public void unpark() {
    if (scheduler.phase() != Scheduler.OPEN) {
      end();
      return;
    }
    StackReserve.check();
    if (woken.compareAndSet(false, true)) {
      attach(LOOK);
      scheduler.enter(turn, this, null, false);
    }
  }
}
