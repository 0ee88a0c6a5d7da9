package dev.mely.examples.sfs;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Who has cached what. A client that is told of a file or a directory gets a lease on it: it is
 * called back when somebody else changes it before the lease has run out. After that it must ask
 * again. Nobody waits for the client to have heard; it is consistency for people, as in SFS.
 *
 * <p>The paper's example of state that clients share, and that copies of a server cannot have each
 * for itself. It belongs to the default color, so there is no lock.
 */
final class Leases {
  /** A client may have so many; for more it gets none, and must ask each time. */
  static final int MAX_OF_ONE = 1024;

  /** Where a lease is broken: the client. */
  interface Holder {
    void broken(long lease);
  }

  private record Lease(long id, long expires) {}

  private record Change(Object key, long when) {}

  private final Duration time;
  private final LongSupplier nanoTime;

  /** Key of the file, then holder. No map in it is empty. */
  private final Map<Object, Map<Holder, Lease>> byKey = new HashMap<>();

  private final Map<Holder, Set<Object>> byHolder = new HashMap<>();

  /** When what was last changed, for as long as a lease takes; oldest first. */
  private final ArrayDeque<Change> changes = new ArrayDeque<>();

  private final Map<Object, Long> changed = new HashMap<>();
  private long next = 1;

  Leases(Duration time, LongSupplier nanoTime) {
    this.time = time;
    this.nanoTime = nanoTime;
  }

  int millis() {
    return (int) time.toMillis();
  }

  /**
   * Gives out a lease, or extends that which the holder has.
   *
   * @param asked when the look at the file began: what has changed since may not have been seen
   * @return its number; 0: none
   */
  long grant(Holder holder, Object key, long asked) {
    long now = nanoTime.getAsLong();
    Long change = changed.get(key);
    if (now - asked >= time.toNanos() || (change != null && change - asked >= 0)) {
      return 0;
    }
    Set<Object> held = byHolder.computeIfAbsent(holder, h -> new HashSet<>());
    if (held.size() >= MAX_OF_ONE && !held.contains(key)) {
      return 0;
    }
    held.add(key);
    Map<Holder, Lease> holders = byKey.computeIfAbsent(key, k -> new HashMap<>());
    Lease old = holders.get(holder);
    Lease lease = new Lease(old == null ? next++ : old.id(), now + time.toNanos());
    holders.put(holder, lease);
    return lease.id();
  }

  /** Somebody has changed a file: all others who have a lease on it are called back. */
  void broken(Object key, Holder by) {
    long now = nanoTime.getAsLong();
    changed.put(key, now);
    changes.add(new Change(key, now));
    Map<Holder, Lease> holders = byKey.get(key);
    if (holders == null) {
      return;
    }
    for (Holder holder : List.copyOf(holders.keySet())) {
      if (holder != by) {
        Lease lease = holders.get(holder);
        drop(holder, key);
        if (lease != null && lease.expires() - now > 0) {
          holder.broken(lease.id());
        }
      }
    }
  }

  private void drop(Holder holder, Object key) {
    Map<Holder, Lease> holders = byKey.get(key);
    if (holders != null) {
      holders.remove(holder);
      if (holders.isEmpty()) {
        byKey.remove(key);
      }
    }
    Set<Object> held = byHolder.get(holder);
    if (held != null) {
      held.remove(key);
      if (held.isEmpty()) {
        byHolder.remove(holder);
      }
    }
  }

  /** A client has gone. */
  void forget(Holder holder) {
    Set<Object> held = byHolder.get(holder);
    if (held != null) {
      for (Object key : List.copyOf(held)) {
        drop(holder, key);
      }
    }
  }

  /** Drops what has run out. */
  void expire() {
    long now = nanoTime.getAsLong();
    List<Runnable> drops = new ArrayList<>();
    byKey.forEach(
        (key, holders) ->
            holders.forEach(
                (holder, lease) -> {
                  if (lease.expires() - now <= 0) {
                    drops.add(() -> drop(holder, key));
                  }
                }));
    drops.forEach(Runnable::run);
    while (!changes.isEmpty() && now - changes.element().when() > time.toNanos()) {
      Change old = changes.remove();
      changed.remove(old.key(), old.when());
    }
  }

  /** How many there are. */
  int size() {
    int size = 0;
    for (Map<Holder, Lease> holders : byKey.values()) {
      size += holders.size();
    }
    return size;
  }
}
