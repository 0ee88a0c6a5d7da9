package dev.mely;

import dev.mely.kit.Exploration;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Events that read a color, write it, or ask for two, under Lincheck: the real {@link Granter} with
 * its tickets and grants, real workers, real producers. What overlaps or overtakes throws; a ticket
 * or a grant that is forgotten leaves somebody waiting for ever, which Lincheck reports.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckPermissionsTest {

  private static final int NOBODY = -1;

  @Test
  void readersAreTogetherAndWritersAlone() {
    readers(Granting.class).oneOf(2).check();
  }

  @Test
  void eventsOverTwoColorsAreInOneOrder() {
    several(Granting.class).oneOf(2).check();
  }

  static Exploration readers(Class<?> scenario) {
    return new Exploration(scenario)
        .after("read 0 0, read 0 0")
        .of("run", "run, run", "writeAlone 1 0, read 1 0")
        .of("run, run", "read 1 0", "writeAlone 0 0")
        .of("run", "read 0 0, writeAlone 0 0", "run")
        .then("runAll");
  }

  static Exploration several(Class<?> scenario) {
    return new Exploration(scenario)
        .of("both 0", "both 1", "run")
        .of("writeAlone 0 0", "both 1", "run")
        .of("both 0, run", "readAndWrite 1, run")
        .of("read 0 0, both 0", "readAndWrite 1, run", "run")
        .then("runAll");
  }

  // ---- Whole runtimes: in the proof profile

  static Exploration readersAtWork(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "work 1", "read 0 0, read 0 0, write 0 0")
        .of("work 0", "work 1", "write 0 0, read 0 0, read 0 0")
        .oneOf(2);
  }

  static Exploration producers(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "read 0 0, write 0 0", "read 1 0")
        .of("work 0", "read 0 0", "read 1 0, read 1 0");
  }

  static Exploration severalAtWork(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "both 0, write 0 0", "both 1")
        .of("work 0", "write 0 1, readAndWrite 0", "both 1");
  }

  static Exploration forks(Class<?> scenario) {
    return new Exploration(scenario).of("work 0", "work 1", "fork 0, write 0 0").oneOf(2);
  }

  static Exploration close(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work 0", "both 0, read 0 0", "close")
        .of("work 0", "read 0 0, write 0 0", "close");
  }

  /**
   * Without workers: a caller of {@link #run} takes the next event from the core's queue, as a
   * worker would, and runs it, beside others who do. So there is little but the granter itself to
   * be interleaved.
   */
  public static class Granting extends Asking {
    public Granting() {
      super(1, StealPolicy.OFF, Integer.MAX_VALUE);
    }

    /** Registers an event that writes a color, as those over several colors do: with a ticket. */
    @Operation
    public void writeAlone(int source, int color) {
      register(new Item(this, source, Permissions.write(colors[color])));
    }

    /** Runs one event, if there is any. */
    @Operation
    public void run() {
      runNext();
    }

    /** When all others have ended. */
    @Operation
    public void runAll() {
      while (runNext()) {
        // until there is none
      }
    }

    private boolean runNext() {
      Core core = scheduler.core(0);
      Color next = core.queue.poll();
      if (next == null || !next.claim(0, 0)) {
        return !core.queue.isEmpty();
      }
      Event event = next.take();
      if (event == null) {
        scheduler.enqueue(next, core); // a producer is about to link its ticket
        return true;
      }
      Handler<?> by = event.detach();
      PermissionEvent permit = (PermissionEvent) event;
      Object payload = permit.payload();
      if (payload != null) {
        if (by != handler) {
          throw new AssertionError(by);
        }
        run((Item) payload);
      }
      permit.after(next);
      return true;
    }
  }

  /** Ends when three events have run. */
  public static class Three extends Asking {
    public Three() {
      super(1, StealPolicy.OFF, 3);
    }
  }

  /** The same; idle cores steal. */
  public static class ThreeOnTwoCores extends Asking {
    public ThreeOnTwoCores() {
      super(2, StealPolicy.TIME_LEFT, 3);
    }
  }

  /** An event, its two children, its continuation, and another event. Each core has a color. */
  public static class Five extends Asking {
    public Five() {
      super(2, StealPolicy.OFF, 5);
    }
  }

  /** One core whose runtime is closed while events come. */
  public static class Closing extends Asking {
    public Closing() {
      super(1, StealPolicy.OFF, 2);
    }

    /** As the thread that shuts down: waits for the worker to leave, then sweeps. */
    @Operation
    public void close() throws InterruptedException {
      end();
      awaitWorker();
      sweep();
    }
  }

  /** A runtime with two colors, which ends when so many events have run. */
  public abstract static class Asking {
    private final int events;
    private final MonitorHost host;
    final Scheduler scheduler;
    private final Timers timers;
    private final Granter granter;
    final Color[] colors = new Color[2];
    private final State[] states = {new State(), new State()};
    private final AtomicInteger accepted = new AtomicInteger();
    private final AtomicInteger ran = new AtomicInteger();
    private final AtomicInteger rejected = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    final Handler<Item> handler = new Running();
    private boolean closed;
    private boolean left;

    Asking(int cores, StealPolicy policy, int events) {
      this.events = events;
      host = new MonitorHost(cores, 0);
      scheduler = host.newScheduler(policy, (color, event, error) -> failed(error));
      timers = new Timers(scheduler);
      granter = new Granter(scheduler);
      for (int i = 0; i < colors.length; i++) {
        colors[i] = new Color(host, i % cores, false);
      }
    }

    /** The worker of a core, to its end. */
    @Operation
    public void work(int core) {
      host.enter(core);
      Worker worker = new Worker(scheduler, timers, scheduler.core(core));
      while (worker.step() != WorkerState.EXIT) {
        // Everything happens in step.
      }
      workerLeft();
    }

    private synchronized void workerLeft() {
      left = true;
      notifyAll();
    }

    synchronized void awaitWorker() throws InterruptedException {
      while (!left) {
        wait();
      }
    }

    void sweep() {
      scheduler.sweep();
    }

    // ---- Producers: the source is the thread

    /** A plain event: it writes its color, and knows nothing of permissions. */
    @Operation
    public void write(int source, int color) {
      Item item = new Item(this, source, Permissions.write(colors[color]));
      item.attach(handler);
      accepted.incrementAndGet();
      try {
        scheduler.post(colors[color], item);
      } catch (RejectedExecutionException e) {
        accepted.decrementAndGet();
      }
    }

    @Operation
    public void read(int source, int color) {
      register(new Item(this, source, Permissions.read(colors[color])));
    }

    @Operation
    public void both(int source) {
      register(new Item(this, source, Permissions.write(colors)));
    }

    /** In the other order, and one of them is only read. */
    @Operation
    public void readAndWrite(int source) {
      register(new Item(this, source, Permissions.write(colors[1]).andRead(colors[0])));
    }

    /** Writes both, forks a writer of each, and goes on. */
    @Operation
    public void fork(int source) {
      Item item = new Item(this, source, Permissions.write(colors));
      item.forks = true;
      register(item);
    }

    final void register(Item item) {
      accepted.incrementAndGet();
      try {
        granter.register(item.asked, handler, item);
      } catch (RejectedExecutionException e) {
        accepted.decrementAndGet();
      }
    }

    // ---- Inside

    final void run(Item item) {
      enter(item.asked, item);
      if (item.forks) {
        Fork fork = Fork.of(granter, scheduler.currentCore());
        accepted.addAndGet(3);
        fork.child(Permissions.write(colors[0]), handler, item.child(Permissions.write(colors[0])))
            .child(Permissions.write(colors[1]), handler, item.child(Permissions.write(colors[1])))
            .then((List<Throwable> failures) -> goOn(item));
      }
      leave(item.asked, item.forks || item.isChild() ? NOBODY : item.source);
      if (item.parent != null) {
        item.parent.children.incrementAndGet();
      }
      ended();
    }

    private void goOn(Item item) {
      if (item.children.get() != 2) {
        throw new AssertionError("goes on after " + item.children + " children");
      }
      enter(item.asked, item);
      leave(item.asked, item.source);
      ended();
    }

    private void ended() {
      if (ran.incrementAndGet() == events) {
        end();
      }
    }

    private void enter(Permissions asked, Item item) {
      for (int i = 0; i < colors.length; i++) {
        if (asked.mayRead(colors[i])) {
          boolean writes = asked.mayWrite(colors[i]);
          if (scheduler.currentCore() != null && !colors[i].isCurrent()) {
            throw new AssertionError("not inside " + colors[i]);
          }
          states[i].enter(writes);
          if (!closed && !item.isChild()) {
            states[i].checkOrder(item.source, item.before[i]);
          }
        }
      }
    }

    private void leave(Permissions asked, int source) {
      for (int i = 0; i < colors.length; i++) {
        if (asked.mayRead(colors[i])) {
          states[i].leave(asked.mayWrite(colors[i]), source);
        }
      }
    }

    void end() {
      closed = true;
      scheduler.setPhase(Scheduler.CLOSED);
      for (int i = 0; i < scheduler.cores(); i++) {
        scheduler.core(i).poller.wakeup();
      }
    }

    private void failed(Throwable error) {
      failure.set(error);
      end();
    }

    @Validate
    public void check() {
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
      if (ran.get() + rejected.get() != accepted.get()) {
        throw new AssertionError(ran + " run and " + rejected + " rejected of " + accepted);
      }
      for (Color color : colors) {
        if (!color.toString().contains("idle")) {
          throw new AssertionError("left behind: " + color);
        }
      }
    }

    /** Worth stealing. */
    private final class Running extends Handler<Item> {
      Running() {
        super(Work.MEASURED.cost(Duration.ofMillis(1)).penalty(1));
      }

      @Override
      public void handle(Item item) {
        run(item);
      }

      @Override
      protected void rejected(Item item) {
        rejected.incrementAndGet();
      }
    }
  }

  /** What a color protects. */
  private static final class State {
    private final AtomicInteger readers = new AtomicInteger();
    private boolean written;

    /** By source: writes that have been registered, and those that have run. */
    final int[] registered = new int[2];

    private final int[] done = new int[2];

    void enter(boolean writes) {
      if (written) {
        throw new AssertionError("beside a writer");
      }
      if (!writes) {
        readers.incrementAndGet();
      } else if (readers.get() == 0) {
        written = true;
      } else {
        throw new AssertionError("a writer beside a reader");
      }
    }

    /** Of one source, what was registered before has run, and nothing that was not. */
    void checkOrder(int source, int before) {
      if (done[source] != before) {
        throw new AssertionError(done[source] + " of source " + source + ", not " + before);
      }
    }

    /**
     * @param source who has registered it; NOBODY: the write goes on, or is part of another
     */
    void leave(boolean writes, int source) {
      if (!writes) {
        readers.decrementAndGet();
        return;
      }
      if (!written) {
        throw new AssertionError("two writers");
      }
      written = false;
      if (source != NOBODY) {
        done[source]++;
      }
    }
  }

  private static final class Item extends Event {
    final int source;
    final Permissions asked;

    /** For each color, how many writes its source had registered before. */
    final int[] before = new int[2];

    final @Nullable Item parent;
    final AtomicInteger children = new AtomicInteger();
    boolean forks;

    /** Registers what it writes: the caller is its source. */
    Item(Asking of, int source, Permissions asked) {
      this(source, asked, null);
      for (int i = 0; i < before.length; i++) {
        before[i] = of.states[i].registered[source];
        if (asked.mayWrite(of.colors[i])) {
          of.states[i].registered[source]++;
        }
      }
    }

    private Item(int source, Permissions asked, @Nullable Item parent) {
      this.source = source;
      this.asked = asked;
      this.parent = parent;
    }

    Item child(Permissions less) {
      return new Item(source, less, this);
    }

    boolean isChild() {
      return parent != null;
    }
  }
}
