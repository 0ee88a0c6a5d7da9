package dev.mely.pinning;

import dev.mely.topology.Pinning;
import java.util.Objects;

/**
 * Starts what must not inherit the CPU of a {@linkplain dev.mely.MelyBuilder#pinned pinned} worker.
 *
 * <p>On Linux all that a pinned thread starts inherits its one CPU: threads, the carriers of
 * virtual threads, those of pools that grow, child processes. While an action runs here, the
 * calling thread has the CPUs of the process, and so have the threads and processes that the action
 * starts, for their whole life. Afterwards the thread is pinned as before, even if the action
 * throws.
 *
 * <pre>{@code
 * Process child = Unpinned.call(() -> new ProcessBuilder("gzip", file).start());
 * Unpinned.run(() -> pool.invoke(task)); // a ForkJoinPool, whose threads start now
 * }</pre>
 *
 * <p>The CPUs of the process are those of its first thread, which {@code taskset} and cpusets
 * shape. In a thread that no runtime has pinned, the action is simply run, and so it is inside of
 * another such action. A thread that was <em>started by</em> a pinned one counts as pinned itself;
 * the carrier of a virtual thread loses a pin that it has so inherited for good. What is not
 * started in the action is not helped: each start of a virtual thread, or wake-up of one, by a
 * pinned thread may start a carrier.
 *
 * <p>If the CPUs cannot be changed, the action runs all the same; the first such case in the
 * process is logged as a warning of the {@link System.Logger} {@code dev.mely.topology}. Any
 * thread. Source: Mely, ICDCS'10, section IV-C.
 */
public final class Unpinned {
  private Unpinned() {}

  /**
   * What {@link #call} runs.
   *
   * @param <T> of its result
   * @param <X> of what it throws
   */
  @FunctionalInterface
  public interface Action<T, X extends Throwable> {
    /**
     * Does it.
     *
     * @return its result
     * @throws X if it fails
     */
    T run() throws X;
  }

  /**
   * Runs an action unpinned.
   *
   * @param <T> of its result
   * @param <X> of what it throws
   * @param action called once, by the calling thread
   * @return what the action returns
   * @throws X what the action throws
   */
  public static <T, X extends Throwable> T call(Action<T, X> action) throws X {
    Objects.requireNonNull(action, "action");
    return Pinning.unpinned(action::run);
  }

  /**
   * Runs an action that has no result. It makes a thread that is not pinned, even if a pinned
   * thread starts it, such as one of a pool that grows:
   *
   * <pre>{@code
   * ThreadFactory threads = task -> new Thread(() -> Unpinned.run(task));
   * }</pre>
   *
   * @param action called once, by the calling thread
   */
  public static void run(Runnable action) {
    Pinning.unpinned(Objects.requireNonNull(action, "action"));
  }
}
