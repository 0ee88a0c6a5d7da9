package dev.mely;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A world that stands still: time passes, and workers step, when the test says so. */
final class FakeHost implements Host {
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<FakePoller> pollers = new ArrayList<>();
  private final Set<Integer> waiting = new HashSet<>();
  private long now = 1_000_000_000;
  private int current = -1;
  private int pauses;
  private Runnable whenAsked = () -> {};

  @Override
  public long nanos() {
    return now;
  }

  void advance(long nanos) {
    now += nanos;
  }

  @Override
  public int random(int bound) {
    return random.nextInt(bound);
  }

  @Override
  public boolean isCurrent(Core core) {
    Runnable action = whenAsked;
    whenAsked = () -> {};
    action.run();
    return core.index == current;
  }

  /** Something happens just when somebody is asked for the next time which core it is. */
  void whenAsked(Runnable action) {
    whenAsked = action;
  }

  /** Does something as the worker of a core. */
  void as(int core, Runnable action) {
    int before = current;
    current = core;
    try {
      action.run();
    } finally {
      current = before;
    }
  }

  @Override
  public boolean isWaiting(Core core) {
    return waiting.contains(core.index);
  }

  /** The worker of a core waits in its handler, or not any more. */
  void setWaiting(int core, boolean waits) {
    if (waits) {
      waiting.add(core);
    } else {
      waiting.remove(core);
    }
  }

  /** How often a worker has paused. */
  int pauses() {
    return pauses;
  }

  @Override
  public void pause(long nanos) {
    pauses++;
    now += nanos;
  }

  @Override
  public FakePoller newPoller(int core) {
    FakePoller poller = new FakePoller();
    pollers.add(poller);
    return poller;
  }

  FakePoller poller(int core) {
    return pollers.get(core);
  }

  /** A thread that ends at once: it stands for the worker, which the test steps itself. */
  @Override
  public Thread newThread(Worker worker, int core) {
    return new Thread(() -> {}, "idle stand-in for core " + core);
  }

  /** Takes notes, and never waits. */
  static final class FakePoller implements Poller {
    final List<Long> waits = new ArrayList<>();
    int wakeups;

    /** What the next wake-up throws. */
    @Nullable Error fault;

    @Override
    public int poll(long maxWaitNanos) {
      waits.add(maxWaitNanos);
      return 0;
    }

    @Override
    public void wakeup() {
      wakeups++;
      Error thrown = fault;
      if (thrown != null) {
        fault = null;
        throw thrown;
      }
    }

    /** How long the worker would have waited last. */
    long lastWait() {
      return waits.get(waits.size() - 1);
    }
  }
}
