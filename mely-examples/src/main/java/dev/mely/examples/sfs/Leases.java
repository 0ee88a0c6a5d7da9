package dev.mely.examples.sfs;

import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

  private static final class Lease {
    final Holder holder;
    final Object key;
    final long id;
    long expires;

    Lease(Holder holder, Object key, long id) {
      this.holder = holder;
      this.key = key;
      this.id = id;
    }
  }

  private final Duration time;
  private final LongSupplier nanoTime;

  /** Key of the file, then holder. No map in it is empty. */
  private final Map<Object, Map<Holder, Lease>> byKey = new HashMap<>();

  private final Map<Holder, Map<Object, Lease>> byHolder = new HashMap<>();

  /** All of them; the next one that runs out comes first. */
  private final Set<Lease> inTime = new LinkedHashSet<>();

  /** When what was last changed, for as long as a lease takes; oldest first. */
  private final Map<Object, Long> changed = new LinkedHashMap<>();

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
    Map<Object, Lease> held = byHolder.getOrDefault(holder, Map.of());
    Lease lease = held.get(key);
    if (lease == null) {
      if (held.size() >= MAX_OF_ONE) {
        return 0;
      }
      lease = new Lease(holder, key, next++);
    }
    inTime.remove(lease);
    lease.expires = now + time.toNanos();
    inTime.add(lease);
    byKey.computeIfAbsent(key, k -> new HashMap<>()).put(holder, lease);
    byHolder.computeIfAbsent(holder, h -> new HashMap<>()).put(key, lease);
    return lease.id;
  }

  /** Somebody has changed a file: all others who have a lease on it are called back. */
  void broken(Object key, Holder by) {
    long now = nanoTime.getAsLong();
    for (Lease lease : List.copyOf(byKey.getOrDefault(key, Map.of()).values())) {
      if (lease.holder != by) {
        drop(lease);
        if (lease.expires - now > 0) {
          lease.holder.broken(lease.id);
        }
      }
    }
    changed.remove(key);
    changed.put(key, now);
  }

  private void drop(Lease lease) {
    inTime.remove(lease);
    remove(byKey, lease.key, lease.holder);
    remove(byHolder, lease.holder, lease.key);
  }

  private static <A, B> void remove(Map<A, Map<B, Lease>> all, A first, B second) {
    Map<B, Lease> some = all.get(first);
    if (some != null) {
      some.remove(second);
      if (some.isEmpty()) {
        all.remove(first);
      }
    }
  }

  /** A client has gone. */
  void forget(Holder holder) {
    Map<Object, Lease> held = byHolder.remove(holder); // takes no memory: files are closed next
    if (held != null) {
      held.values().forEach(this::drop);
    }
  }

  /** Drops what has run out, and looks at nothing else. */
  void expire() {
    long now = nanoTime.getAsLong();
    while (!inTime.isEmpty()) {
      Lease first = inTime.iterator().next();
      if (first.expires - now > 0) {
        break;
      }
      drop(first);
    }
    Iterator<Long> whens = changed.values().iterator();
    while (whens.hasNext() && now - whens.next() > time.toNanos()) {
      whens.remove();
    }
  }

  /** How many there are. */
  int size() {
    return inTime.size();
  }
}
