package dev.mely.netty.monitor;

import com.sun.management.OperatingSystemMXBean;
import dev.mely.pinning.Unpinned;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Looks at groups every few milliseconds, and tells its listeners once a second: by a thread that
 * lives as long as there are listeners. Thread-safe.
 */
final class Sampler {
  /** How many pages, and readers of the JSON, are served at once. */
  static final int MOST_LISTENERS = 8;

  static final String THREAD = "mely-monitor-sampler";

  private static final System.Logger LOG = System.getLogger("dev.mely.netty");
  private static final long TICK_NANOS = 20_000_000;
  private static final long SECOND = 1_000_000_000;

  private final List<WatchedGroup> groups = new CopyOnWriteArrayList<>();

  /** Changed under the lock. */
  private final Set<Listener> listeners = new CopyOnWriteArraySet<>();

  // Guarded by this.
  private boolean running;
  private boolean closed;

  /** The groups that are told to begin: known to the thread alone. */
  private final List<WatchedGroup> begun = new ArrayList<>();

  private final ProcessCpu cpu = new ProcessCpu();
  private long warned = System.nanoTime() - SECOND;

  /** What the process has used of the CPUs. */
  private static final class ProcessCpu {
    private final @Nullable OperatingSystemMXBean system =
        ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean known
            ? known
            : null;

    private long used = -1;

    /** How many CPUs were used on average since the last call. */
    @Nullable Double since(long nanos) {
      long before = used;
      used = system == null ? -1 : system.getProcessCpuTime();
      return before < 0 || used < 0 ? null : (double) (used - before) / nanos;
    }
  }

  void watch(WatchedGroup group) {
    groups.removeIf(WatchedGroup::hasEnded);
    groups.add(group);
  }

  /**
   * Adds a listener, and begins to look if it is the first.
   *
   * @return false: there are too many, the monitor is closed, or there is no memory for a thread
   */
  synchronized boolean add(Listener listener) {
    if (closed || listeners.size() == MOST_LISTENERS || !(running || start())) {
      return false;
    }
    listeners.add(listener);
    return true;
  }

  /** Starts the thread. The caller holds the lock, so that it finds the listener. */
  private boolean start() {
    try {
      Unpinned.call( // the caller may be a worker
          () -> {
            Thread thread = new Thread(this::run, THREAD);
            thread.setDaemon(true);
            thread.start();
            return thread;
          });
      running = true;
    } catch (OutOfMemoryError e) {
      LOG.log(System.Logger.Level.WARNING, "the monitor has no thread", e);
    }
    return running;
  }

  /** Takes one away that was added. The last one ends the looks, soon. */
  synchronized void remove(Listener listener) {
    listeners.remove(listener);
  }

  synchronized boolean isClosed() {
    return closed;
  }

  void close() {
    List<Listener> last;
    synchronized (this) {
      closed = true;
      last = List.copyOf(listeners);
      listeners.clear();
    }
    last.forEach(Listener::ended);
  }

  private void run() {
    do {
      look();
    } while (!hasEnded());
  }

  /** As long as somebody listens. */
  private void look() {
    cpu.since(1);
    long last = System.nanoTime();
    while (hasListeners()) {
      long now = System.nanoTime();
      safely(this::find);
      for (WatchedGroup group : begun) {
        safely(() -> group.tick(now));
      }
      if (now - last >= SECOND) {
        long nanos = now - last;
        safely(() -> tell(take(now, nanos)));
        last = now;
      }
      LockSupport.parkNanos(TICK_NANOS);
    }
    begun.forEach(group -> safely(group::end));
    begun.clear();
  }

  private synchronized boolean hasListeners() {
    return !listeners.isEmpty();
  }

  /** A listener that came meanwhile has found the thread running. */
  private synchronized boolean hasEnded() {
    running = !listeners.isEmpty();
    return !running;
  }

  /** Groups that have come and gone. */
  private void find() {
    groups.removeIf(WatchedGroup::hasEnded);
    for (WatchedGroup group : List.copyOf(begun)) {
      if (!groups.contains(group)) {
        begun.remove(group);
        group.end();
      }
    }
    for (WatchedGroup group : groups) {
      if (!begun.contains(group)) {
        group.begin(System.nanoTime());
        begun.add(group);
      }
    }
  }

  /** A look that fails is not the end of the page, nor of a look at another group. */
  private void safely(Runnable look) {
    try {
      look.run();
    } catch (Throwable t) {
      warn(t);
    }
  }

  /** Once a second: a look that fails may fail each time. */
  private void warn(Throwable t) {
    long now = System.nanoTime();
    if (now - warned >= SECOND) {
      warned = now;
      LOG.log(System.Logger.Level.WARNING, "the monitor failed", t);
    }
  }

  private Figures take(long now, long nanos) {
    int cpus = Runtime.getRuntime().availableProcessors();
    @Nullable Double used = cpu.since(nanos);
    double idle = Math.max(0, cpus - (used == null ? 0 : used));
    return new Figures(
        System.currentTimeMillis(), (double) nanos / SECOND, cpus, used, groupFigures(now, idle));
  }

  private List<GroupFigures> groupFigures(long now, double idleCpus) {
    List<GroupFigures> figures = new ArrayList<>();
    for (WatchedGroup group : begun) {
      safely(() -> figures.add(group.take(now, idleCpus)));
    }
    return figures;
  }

  private void tell(Figures figures) {
    String json = figures.json();
    for (Listener listener : listeners) {
      try {
        listener.tell(json);
      } catch (RuntimeException e) { // its event loop has ended
        remove(listener);
      }
    }
  }
}
