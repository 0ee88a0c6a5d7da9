package dev.mely;

import dev.mely.spi.Poller;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A world that stands still: time passes, and workers step, when the test says so. */
final class FakeHost implements Host {
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<FakePoller> pollers = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final Set<Integer> waiting = new HashSet<>();
  private long now = 1_000_000_000;
  private int current = -1;
  private int pauses;
  private int givenWay;
  private Runnable whenAsked = () -> {};
  private Runnable whenThreadIsAsked = () -> {};

  /** Of all producers that wait. */
  final FakeParker parker = new FakeParker();

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
  public int cores() {
    return pollers.size();
  }

  @Override
  public boolean isCurrent(int core) {
    Runnable action = whenAsked;
    whenAsked = () -> {};
    action.run();
    return core == current;
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
  public boolean isWaiting(int core) {
    return waiting.contains(core);
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

  /** How often a worker has offered its CPU. */
  int givenWay() {
    return givenWay;
  }

  @Override
  public void giveWay() {
    givenWay++;
  }

  @Override
  public FakePoller newPoller(int core) {
    FakePoller poller = new FakePoller();
    pollers.add(poller);
    return poller;
  }

  @Override
  public Parker newParker() {
    return parker;
  }

  FakePoller poller(int core) {
    return pollers.get(core);
  }

  /** A thread that ends at once: it stands for the worker, which the test steps itself. */
  @Override
  public Thread newThread(Runnable worker, int core) {
    workers.add((Worker) worker);
    Thread standIn = new Thread(() -> {}, "idle stand-in for core " + core);
    threads.add(standIn);
    return standIn;
  }

  /** There is no memory when somebody asks for the next thread. */
  void failThreads() {
    whenThreadIsAsked(
        () -> {
          throw new OutOfMemoryError("as planned");
        });
  }

  /** Runs an action when a thread is asked for the next time, before it is returned. */
  void whenThreadIsAsked(Runnable action) {
    whenThreadIsAsked = action;
  }

  @Override
  public @Nullable Thread thread(int core) {
    Runnable action = whenThreadIsAsked;
    whenThreadIsAsked = () -> {};
    action.run();
    return core < threads.size() ? threads.get(core) : null;
  }

  Worker worker(int core) {
    return workers.get(core);
  }

  /** Records the calls; a thread that parks here waits until the test wakes it. */
  static final class FakeParker implements Parker {
    final Semaphore go = new Semaphore(0, true); // or one would take what is meant for another
    final AtomicInteger parks = new AtomicInteger();
    int unparks;

    /** So many wake-ups fail. */
    int unparksToFail;

    @Override
    public void park() throws InterruptedException {
      parks.incrementAndGet();
      go.acquire();
    }

    @Override
    public void unpark() {
      unparks++;
      if (unparksToFail > 0) {
        unparksToFail--;
        throw new InternalError("the wake-up fails, as planned");
      }
    }
  }

  /** Takes notes, and never waits. */
  static final class FakePoller implements Poller {
    final List<Long> waits = new ArrayList<>();
    int wakeups;

    /** Whether others than its own worker may poll. */
    boolean transferable = true;

    /** So many wake-ups fail. */
    int wakeupsToFail;

    /** So many polls fail. */
    int pollsToFail;

    @Override
    public void poll(long maxWaitNanos) {
      waits.add(maxWaitNanos);
      if (pollsToFail > 0) {
        pollsToFail--;
        throw new InternalError("the poller fails, as planned");
      }
    }

    @Override
    public void wakeup() {
      wakeups++;
      if (wakeupsToFail > 0) {
        wakeupsToFail--;
        throw new InternalError("the wake-up fails, as planned");
      }
    }

    @Override
    public boolean isTransferable() {
      return transferable;
    }

    /** How long the worker would have waited last. */
    long lastWait() {
      return waits.get(waits.size() - 1);
    }
  }
}
