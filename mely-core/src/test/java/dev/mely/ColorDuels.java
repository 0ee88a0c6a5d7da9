package dev.mely;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** {@link Duels} about the state and the events of a color. */
final class ColorDuels {
  private ColorDuels() {}

  /** Of events that exclude each other. */
  private static final class Alone extends Duels.Counting {
    private final Duel duel;
    private boolean inside;

    Alone(Duel duel) {
      this.duel = duel;
    }

    @Override
    public void handle(Object event) {
      duel.check(!inside, "two events overlap");
      inside = true;
      Strand.between();
      inside = false;
      super.handle(event);
    }
  }

  static Duel lookups(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    ColorTable table = new ColorTable();
    List<Color> found = new ArrayList<>();
    Runnable side = () -> found.add(table.get("key", scheduler::newColor));
    duel.side(side).side(side).fight();
    duel.check(found.size() == 2 && found.get(0) == found.get(1), "two colors of one key");
    return duel;
  }

  private static Color queued(Scheduler scheduler) {
    Color color = scheduler.newColor(0, false);
    color.enterIdle(Duels.event(new Duels.Counting()));
    color.queue(0);
    return color;
  }

  private static Color running(Scheduler scheduler) {
    Color color = queued(scheduler);
    color.claim(0, 0);
    return color;
  }

  static Duel claims(Duel duel) {
    Color color = queued(Duels.scheduler(duel));
    return Duels.alone(duel, () -> color.claim(0, 0), () -> color.claim(0, 1));
  }

  static Duel claimsAtEnd(Duel duel) {
    Color color = queued(Duels.scheduler(duel));
    return Duels.alone(duel, color::claimToReject, () -> color.claim(0, 0));
  }

  static Duel release(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    Duels.Counting handler = new Duels.Counting();
    Color color = running(scheduler);
    Objects.requireNonNull(color.take()).detach();
    Event event = Duels.event(handler);
    duel.side(
            () -> {
              if (!color.release(0)) {
                scheduler.requeue(color);
              }
            })
        .side(() -> scheduler.post(color, event))
        .fight();
    Duels.checkGoesOn(duel, scheduler, Duels.workers(duel, scheduler), color, handler);
    duel.check(handler.ran == 2, handler.ran + " of 2 events have run");
    return duel;
  }

  static Duel weights(Duel duel) {
    Color color = Duels.scheduler(duel).newColor(0, false);
    Runnable side = () -> color.addPending(1, 10);
    duel.side(side).side(side).fight();
    return checkWeight(duel, color, 2, 20);
  }

  static Duel settled(Duel duel) {
    Color color = Duels.scheduler(duel).newColor(0, false);
    color.addPending(0, -7);
    duel.side(() -> color.addPending(1, 10)).side(color::settleWeight).fight();
    color.addPending(-1, -color.weight()); // what is left of a weight is settled another time
    return checkWeight(duel, color, 0, 0);
  }

  private static Duel checkWeight(Duel duel, Color color, int events, long weight) {
    boolean right = color.pendingCount() == events && color.weight() == weight;
    duel.check(right, color.pendingCount() + " events weigh " + color.weight());
    return duel;
  }

  static Duel producers(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    Color color = scheduler.newColor(0, false);
    Duels.Counting handler = new Alone(duel);
    List<VirtualWorker> workers = Duels.workers(duel, scheduler);
    for (int i = 0; i < 3; i++) {
      Event event = Duels.event(handler);
      duel.side(() -> scheduler.post(color, event));
    }
    duel.side(() -> Duels.run(workers.subList(0, 1), 10)).fight();
    Duels.checkGoesOn(duel, scheduler, workers, color, handler);
    duel.check(handler.ran == 4, handler.ran + " of 4 events have run");
    return duel;
  }

  /** Four events that read one color, or two, and one that writes both, on two workers. */
  static Duel readers(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    Granter granter = new Granter(scheduler);
    Color one = scheduler.newColor(0, false);
    Color other = scheduler.newColor(1, false);
    Permissions writes = Permissions.none().andWrite(one).andWrite(other);
    Permissions reads = Permissions.none().andRead(one).andRead(other);
    Duels.Counting handler = new Duels.Counting();
    List<VirtualWorker> workers = Duels.workers(duel, scheduler);
    for (Permissions asked : List.of(reads, writes, Permissions.none().andRead(one))) {
      duel.side(() -> granter.register(asked, handler, 1));
    }
    granter.register(reads, handler, 1);
    granter.register(reads, handler, 1);
    duel.side(() -> Duels.run(workers.subList(0, 1), 20))
        .side(() -> Duels.run(workers.subList(1, 2), 20));
    duel.fight();
    Duels.checkGoesOn(duel, scheduler, workers, one, handler);
    Duels.checkGoesOn(duel, scheduler, workers, other, handler);
    duel.check(handler.ran == 7, handler.ran + " of 7 events have run");
    return duel;
  }

  static Duel move(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    Color color = scheduler.newColor(0, false);
    Event event = Duels.event(new Duels.Counting());
    duel.side(() -> color.moveTo(1)).side(() -> scheduler.post(color, event)).fight();
    int core = color.core();
    duel.check(color.isQueuedAt(core) && scheduler.core(core).queue.size() == 1, "it is elsewhere");
    return duel;
  }

  static Duel holdIdle(Duel duel) {
    Color color = Duels.scheduler(duel).newColor(0, false);
    Event event = Duels.event(new Duels.Counting());
    return Duels.alone(duel, color::holdIdle, () -> color.enterIdle(event));
  }

  // ---- Pauses

  static Duel pauses(Duel duel) {
    Scheduler scheduler = Duels.scheduler(duel);
    Pauses pauses = new Pauses(color -> {});
    Color[] colors = new Color[3];
    Arrays.setAll(colors, i -> scheduler.newColor(0, false));
    pauses.pause(colors[2]);
    duel.side(() -> pauses.pause(colors[0]))
        .side(() -> pauses.pause(colors[1]))
        .side(() -> pauses.resume(colors[2]))
        .fight();
    duel.check(pauses.isPaused(colors[0]) && pauses.isPaused(colors[1]), "a pause is lost");
    duel.check(pauses.count() == 2, pauses.count() + " colors are paused");
    return duel;
  }

  static Duel resume(Duel duel) {
    Color color = running(Duels.scheduler(duel));
    int[] queued = new int[1];
    Pauses pauses = new Pauses(c -> queued[0]++);
    pauses.pause(color);
    duel.side(() -> pauses.park(color)).side(() -> pauses.resume(color)).fight();
    duel.check(queued[0] == 1, "it has been queued " + queued[0] + " times");
    return duel;
  }
}
