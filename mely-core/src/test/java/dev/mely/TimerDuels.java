package dev.mely;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** {@link Duels} about timers. */
final class TimerDuels {
  private TimerDuels() {}

  private static TimerEvent timer(Duel duel, long deadline, long period) {
    Color color = Duels.scheduler(duel).newColor(0, false);
    return new TimerEvent(color, new Duels.Counting(), 1, deadline, period);
  }

  static Duel timer(Duel duel) {
    TimerEvent timer = timer(duel, 0, 0);
    int[] ended = new int[1];
    Runnable cancel = Duels.counting(ended, timer::cancel);
    duel.side(Duels.counting(ended, () -> timer.fire() && timer.payload() != null))
        .side(cancel)
        .side(cancel)
        .fight();
    duel.check(ended[0] == 1, "it has run or been cancelled " + ended[0] + " times");
    return duel;
  }

  static Duel droppedTimer(Duel duel) {
    TimerEvent timer = timer(duel, 0, 0);
    int[] ended = new int[1];
    duel.side(Duels.counting(ended, timer::fire)).side(Duels.counting(ended, timer::drop)).fight();
    duel.check(ended[0] == 1, "it has been fired or dropped " + ended[0] + " times");
    return duel;
  }

  static Duel periodic(Duel duel) {
    TimerEvent timer = timer(duel, 0, 10);
    boolean[] cancelled = new boolean[1];
    duel.side(
            () -> {
              if (timer.fire() && timer.payload() != null) {
                timer.rearm(5);
              }
            })
        .side(() -> cancelled[0] = timer.cancel())
        .fight();
    duel.check(cancelled[0] && timer.isDone(), "it goes on");
    return duel;
  }

  static Duel timers(Duel duel) {
    TimerQueue queue = new TimerQueue();
    TimerEvent[] all = new TimerEvent[4];
    Arrays.setAll(all, i -> timer(duel, i, 0));
    queue.add(all[3]);
    List<TimerEvent> expired = new ArrayList<>();
    duel.side(() -> queue.add(all[0]))
        .side(() -> queue.add(all[1]))
        .side(
            () -> {
              queue.add(all[2]);
              expire(queue, 2, expired);
            })
        .fight();
    return checkAll(duel, queue, List.of(all), expired);
  }

  private static void expire(TimerQueue queue, long now, List<TimerEvent> expired) {
    TimerEvent timer = queue.nextDeadline() > now ? null : queue.expire(now);
    while (timer != null) {
      expired.add(timer);
      timer = timer.unchain();
    }
  }

  private static Duel checkAll(
      Duel duel, TimerQueue queue, List<TimerEvent> all, List<TimerEvent> expired) {
    for (long now = 0; now <= 3; now++) {
      expire(queue, now, expired);
      for (TimerEvent timer : all) {
        duel.check(timer.deadline() > now || expired.contains(timer), "a timer oversleeps");
      }
    }
    duel.check(expired.size() == all.size(), expired.size() + " have expired");
    return duel;
  }

  static Duel sweptTimers(Duel duel) {
    TimerQueue queue = new TimerQueue();
    List<TimerEvent> dead = new ArrayList<>();
    for (int i = 0; i < 65; i++) {
      TimerEvent timer = timer(duel, 3, 0);
      queue.add(timer);
      dead.add(timer);
    }
    dead.subList(1, 65).forEach(TimerEvent::cancel);
    TimerEvent added = timer(duel, 1, 0);
    duel.side(() -> queue.add(added)).side(dead.get(0)::cancel).fight();
    return checkAll(duel, queue, List.of(added), new ArrayList<>());
  }

  static Duel lateTimer(Duel duel) {
    TimerQueue queue = new TimerQueue();
    TimerEvent late = timer(duel, 0, 0);
    duel.side(() -> queue.add(late)).side(queue::close).fight();
    duel.check(late.isDone(), "a timer that is never fired waits");
    return duel;
  }
}
