package dev.mely.examples.kv;

import dev.mely.Color;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A part of the keys, and the color that it belongs to: who changes something here writes that
 * color, who looks up reads it, or writes it because that is faster for a moment.
 */
final class Partition {
  /** When an entry ends, if it is still so when the time comes. */
  private record Deadline(long at, Entry entry) implements Comparable<Deadline> {
    boolean isStale() {
      return entry.removed || entry.expireAt != at;
    }

    @Override
    public int compareTo(Deadline other) {
      return Long.compare(at, other.at);
    }
  }

  final int index;
  final Color color;

  private final Dictionary keys = new Dictionary();
  private final PriorityQueue<Deadline> deadlines = new PriorityQueue<>();
  private final Map<Bytes, List<Watch>> watches = new HashMap<>();

  /** How many entries have an end. */
  private int ending;

  Partition(int index, Color color) {
    this.index = index;
    this.color = color;
  }

  // ---- Who reads or writes the color

  @Nullable Entry get(byte[] key, long hash) {
    return keys.get(key, hash);
  }

  /** With what has expired and is not removed yet. From elsewhere: a number of a moment ago. */
  int size() {
    return keys.size();
  }

  /** How many of them will expire. From elsewhere: a number of a moment ago. */
  int ending() {
    return ending;
  }

  void forEach(Consumer<Entry> action) {
    keys.forEach(action);
  }

  /** See {@link Dictionary#scan}. */
  long scan(long cursor, Consumer<Entry> action) {
    return keys.scan(cursor, action);
  }

  // ---- Who writes the color

  void add(Entry entry) {
    keys.add(entry);
  }

  void remove(Entry entry) {
    expire(entry, 0);
    keys.remove(entry);
    touch(entry);
  }

  void clear() {
    if (!watches.isEmpty()) {
      keys.forEach(this::touch);
    }
    keys.clear();
    deadlines.clear();
    ending = 0;
  }

  /** Says when an entry ends; 0: never. */
  void expire(Entry entry, long at) {
    if (entry.expireAt == at) {
      return;
    }
    if (entry.expireAt != 0) {
      ending--;
    }
    entry.expireAt = at;
    if (at != 0) {
      ending++;
      if (deadlines.size() > 2 * ending + 64) {
        deadlines.removeIf(Deadline::isStale); // ends that were changed again and again
      }
      deadlines.add(new Deadline(at, entry));
    }
  }

  /** Returns one that has expired, and is still there; null: there is none. */
  @Nullable Entry nextExpired(long now) {
    while (true) {
      Deadline first = deadlines.peek();
      if (first == null || (!first.isStale() && first.at > now)) {
        return null;
      }
      deadlines.remove();
      if (!first.isStale()) {
        return first.entry;
      }
    }
  }

  // ---- Watches

  /** Tells those who watch a key that it has changed. */
  void touch(Entry entry) {
    if (!watches.isEmpty()) {
      for (Watch watch : watches.getOrDefault(new Bytes(entry.key), List.of())) {
        watch.client().touched = true;
      }
    }
  }

  void watch(Watch watch) {
    watches.computeIfAbsent(watch.key(), key -> new ArrayList<>(1)).add(watch);
  }

  void unwatch(Watch watch) {
    List<Watch> all = watches.get(watch.key());
    if (all != null && all.remove(watch) && all.isEmpty()) {
      watches.remove(watch.key());
    }
  }

  /** How many keys are watched. */
  int watched() {
    return watches.size();
  }
}
