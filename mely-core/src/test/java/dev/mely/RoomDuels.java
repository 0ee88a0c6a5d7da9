package dev.mely;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** {@link Duels} about room: producers and notices that wait for it. */
final class RoomDuels {
  private RoomDuels() {}

  private static Scheduler bounded(Duel duel, int bound) {
    return Duels.scheduler(
        duel,
        settings -> {
          settings.maxPendingPerColor = bound;
          settings.overflow = MelyBuilder.Overflow.BLOCK;
          return settings;
        });
  }

  static Duel room(Duel duel, int bound) {
    Scheduler scheduler = bounded(duel, bound);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    for (int i = 0; i < 3; i++) {
      Event event = Duels.event(new Duels.Counting());
      duel.side(
          () -> {
            overload.admit(color, event);
            overload.left(color, event);
          });
    }
    duel.fight();
    duel.check(overload.waiting() == 0, overload.waiting() + " wait");
    duel.check(((BoundedColor) color).load() == 0, "room is left behind");
    return duel;
  }

  /** Of three producers one leaves as another comes. */
  static Duel places(Duel duel) {
    Overload overload = Objects.requireNonNull(bounded(duel, 1).overload);
    List<WaitingProducer> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      all.add(new WaitingProducer(new Room[0], false, new Wakes()));
    }
    overload.begin(all.get(0));
    duel.side(() -> overload.leave(all.get(0)))
        .side(() -> overload.begin(all.get(1)))
        .side(() -> overload.begin(all.get(2)))
        .fight();
    duel.check(overload.waiting() == 2, overload.waiting() + " of 2 wait");
    return duel;
  }

  /** The first in line looks and leaves at the same time: the next one must not wait for ever. */
  static Duel notice(Duel duel) {
    Scheduler scheduler = bounded(duel, 1);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    Event first = Duels.event(new Duels.Counting());
    Event other = Duels.event(new Duels.Counting());
    Wakes woken = new Wakes();
    WaitingProducer one = new WaitingProducer(overload.rooms(color), false, new Wakes());
    WaitingProducer next = new WaitingProducer(overload.rooms(color), false, woken);
    overload.admit(color, first);
    for (WaitingProducer each : List.of(one, next)) {
      overload.begin(each);
      overload.findsRoom(each);
    }
    overload.left(color, first);
    duel.side(() -> overload.findsRoom(one))
        .side(() -> overload.leave(one))
        .side(
            () -> {
              if (overload.tryAdmit(color, other)) {
                overload.left(color, other);
              }
            })
        .fight();
    duel.check(woken.count > 0, "the next one is not woken");
    return duel;
  }

  private static final class Wakes implements Host.Parker {
    int count;

    @Override
    public void park() {}

    @Override
    public void unpark() {
      count++;
    }
  }

  static Duel wokenTwice(Duel duel) {
    Scheduler scheduler = bounded(duel, 1);
    Overload overload = Objects.requireNonNull(scheduler.overload);
    Color color = scheduler.newColor(0, false);
    Event event = Duels.event(new Duels.Counting());
    overload.admit(color, event);
    RoomNotice notice = new RoomNotice(scheduler, overload, color);
    boolean[] told = new boolean[1];
    notice.begin().thenRun(() -> told[0] = true);
    duel.side(notice::unpark).side(notice::unpark).fight();
    overload.left(color, event);
    Duels.run(Duels.workers(duel, scheduler), Duels.ENOUGH);
    duel.check(told[0], "the future is not completed");
    return duel;
  }
}
