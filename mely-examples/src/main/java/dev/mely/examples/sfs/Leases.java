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
 * Which client has cached which file. A client that gets the attributes of a file or directory gets
 * a lease on it: until the lease expires, the server calls it back when another client changes the
 * file. The change does not wait for the callback to arrive: weak consistency, as in SFS.
 *
 * <p>The paper's example of state shared by all clients, which separate server processes could not
 * each keep. It belongs to the default color, so there is no lock.
 */
final class Leases {
  /** How many leases a client may have; beyond that it gets none, and must ask each time. */
  static final int MAX_OF_ONE = 1024;

  /** A client, which is called back when its lease is broken. */
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

  /** By the file's key, then by holder. Inner maps are never empty. */
  private final Map<Object, Map<Holder, Lease>> byKey = new HashMap<>();

  private final Map<Holder, Map<Object, Lease>> byHolder = new HashMap<>();

  /** All leases, in the order in which they expire. */
  private final Set<Lease> inTime = new LinkedHashSet<>();

  /** Times of the last changes, kept for the duration of a lease; oldest first. */
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
   * Grants a lease, or extends the holder's.
   *
   * @param asked when the file operation began: it may have missed later changes
   * @return the lease's number; 0: none
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

  /** A client has changed a file: calls back all others with a lease on it. */
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

  /** Removes a client's leases. */
  void forget(Holder holder) {
    Map<Object, Lease> held =
        byHolder.remove(holder); // allocates nothing: the client's files must be closed next
    if (held != null) {
      held.values().forEach(this::drop);
    }
  }

  /** Drops expired leases, without looking at the others. */
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

  /** The number of leases. */
  int size() {
    return inTime.size();
  }
}
