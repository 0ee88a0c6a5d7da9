package dev.mely.netty.blocking;

import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/** The workers' threads of all groups, of any thread factory. Thread-safe. */
public final class WorkerThreads {
  private static final Set<Thread> KNOWN =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private WorkerThreads() {}

  /** Takes note of a worker that is about to start. */
  public static void add(Thread thread) {
    KNOWN.add(thread);
  }

  /** Whether a thread is, or was, a worker. */
  public static boolean contains(Thread thread) {
    return KNOWN.contains(thread);
  }
}
