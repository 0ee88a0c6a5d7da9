package dev.mely.netty.monitor;

import com.sun.management.OperatingSystemMXBean;
import dev.mely.pinning.Unpinned;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Looks at groups every few milliseconds, and tells its listeners once a second: by a thread that
 * lives as long as there are listeners. Thread-safe.
 */
final class Sampler {
  /** So many pages may be open at once, and readers of the JSON. */
  static final int MOST_LISTENERS = 8;

  static final String THREAD = "mely-monitor-sampler";

  private static final System.Logger LOG = System.getLogger("dev.mely.netty");
  private static final long TICK_NANOS = 10_000_000;
  private static final long SECOND = 1_000_000_000;

  private final List<WatchedGroup> groups = new CopyOnWriteArrayList<>();

  /** Changed under the lock. */
  private final Set<Consumer<String>> listeners = new CopyOnWriteArraySet<>();

  // Guarded by this.
  private boolean running;
  private boolean closed;

  /** The groups that are told to begin: known to the thread alone. */
  private final List<WatchedGroup> begun = new ArrayList<>();

  private final ProcessCpu cpu = new ProcessCpu();

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
    groups.add(group);
  }

  /**
   * Adds a listener, and begins to look if it is the first.
   *
   * @param listener is told the figures as JSON, once a second; must not block
   * @return false: there are too many, or the monitor is closed
   */
  synchronized boolean add(Consumer<String> listener) {
    if (closed || listeners.size() == MOST_LISTENERS) {
      return false;
    }
    listeners.add(listener);
    if (!running) {
      running = true;
      Unpinned.call(this::start); // the caller may be a worker
    }
    return true;
  }

  private Thread start() {
    Thread thread = new Thread(this::run, THREAD);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Takes one away that was added. The last one ends the looks, soon. */
  synchronized void remove(Consumer<String> listener) {
    listeners.remove(listener);
  }

  synchronized void close() {
    closed = true;
    listeners.clear();
  }

  private void run() {
    long last = System.nanoTime();
    cpu.since(1);
    try {
      while (goesOn()) {
        long now = System.nanoTime();
        try {
          tick(now);
          if (now - last >= SECOND) {
            tell(take(now, now - last));
            last = now;
          }
        } catch (Throwable t) { // the page must not be the end of anything
          LOG.log(System.Logger.Level.WARNING, "the monitor failed", t);
          last = now;
        }
        LockSupport.parkNanos(TICK_NANOS);
      }
    } finally {
      begun.forEach(WatchedGroup::end);
      begun.clear();
      ended();
    }
  }

  private synchronized boolean goesOn() {
    return !listeners.isEmpty();
  }

  /** Listeners may have come since the last look. */
  private synchronized void ended() {
    running = !listeners.isEmpty();
    if (running) {
      start();
    }
  }

  private void tick(long now) {
    groups.removeIf(WatchedGroup::hasEnded);
    begun.removeIf(group -> !groups.contains(group));
    for (WatchedGroup group : groups) {
      if (!begun.contains(group)) {
        begun.add(group);
        group.begin(now);
      }
      group.tick(now);
    }
  }

  private Figures take(long now, long nanos) {
    int cpus = Runtime.getRuntime().availableProcessors();
    @Nullable Double used = cpu.since(nanos);
    double idle = Math.max(0, cpus - (used == null ? 0 : used));
    return new Figures(
        System.currentTimeMillis(),
        (double) nanos / TimeUnit.SECONDS.toNanos(1),
        cpus,
        used,
        begun.stream().map(group -> group.take(now, idle)).toList());
  }

  private void tell(Figures figures) {
    String json = figures.json();
    for (Consumer<String> listener : listeners) {
      try {
        listener.accept(json);
      } catch (RuntimeException e) { // its event loop has ended
        remove(listener);
      }
    }
  }
}
