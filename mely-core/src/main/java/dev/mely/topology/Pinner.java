package dev.mely.topology;

/**
 * Binds threads to CPUs.
 *
 * <p>Source: Mely, ICDCS'10, section IV-C (threads are pinned with {@code pthread_setaffinity_np}).
 *
 * <p>May be used by any number of threads at once. {@link Pinning} makes those that come with the
 * library; an implementation of one's own must not throw either.
 */
@FunctionalInterface
public interface Pinner {
  /**
   * Binds the calling thread to one CPU, for as long as it lives. Call it once, first thing in the
   * thread.
   *
   * <p>On Linux two things follow for a bound thread: threads and processes that it starts inherit
   * the binding, unless {@link Pinning#unpinned(Runnable)} starts them, and {@link
   * Runtime#availableProcessors} answers 1 when it asks.
   *
   * @param cpu the kernel's number of the CPU, 0 or more
   * @return whether the thread is now bound to this CPU and no other; if not, it goes on as before
   */
  boolean pin(int cpu);
}
