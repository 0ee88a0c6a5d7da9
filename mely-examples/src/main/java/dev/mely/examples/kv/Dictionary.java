package dev.mely.examples.kv;

import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a partition: a table of chains, doubled when it is full and halved when it is nearly
 * empty. Made for {@link #scan}, which a map of the JDK does not have.
 *
 * <p>Not thread-safe: it belongs to a color. Several may look things up at the same time.
 */
final class Dictionary {
  private static final int SMALLEST = 16;

  private @Nullable Entry[] table = new Entry[SMALLEST];
  private int size;

  int size() {
    return size;
  }

  @Nullable Entry get(byte[] key, long hash) {
    for (Entry e = table[index(hash)]; e != null; e = e.next) {
      if (e.hash == hash && Arrays.equals(e.key, key)) {
        return e;
      }
    }
    return null;
  }

  /** Adds one whose key is not there. */
  void add(Entry entry) {
    if (size >= table.length && table.length < 1 << 30) {
      resize(table.length * 2);
    }
    link(entry);
    size++;
  }

  private void link(Entry entry) {
    int at = index(entry.hash);
    entry.next = table[at];
    table[at] = entry;
  }

  /** Takes one out that is there. */
  void remove(Entry entry) {
    int at = index(entry.hash);
    Entry e = table[at];
    if (e == entry) {
      table[at] = entry.next;
    } else {
      while (e != null && e.next != entry) {
        e = e.next;
      }
      if (e == null) {
        throw new AssertionError("not in its bucket");
      }
      e.next = entry.next;
    }
    entry.removed = true;
    size--;
    if (table.length > SMALLEST && size < table.length / 8) {
      resize(table.length / 2);
    }
  }

  void clear() {
    forEach(entry -> entry.removed = true);
    table = new Entry[SMALLEST];
    size = 0;
  }

  /** Calls back for each; none may be added or removed meanwhile. */
  void forEach(Consumer<Entry> action) {
    for (Entry head : table) {
      for (Entry e = head; e != null; e = e.next) {
        action.accept(e);
      }
    }
  }

  /**
   * Calls back for the entries of one bucket. Called again and again, from 0 until it returns 0, it
   * reaches each entry that is there all the time, at least once, however the table is resized in
   * between: the cursor counts with its bits reversed, so that the buckets into which one is split,
   * or merged, are neighbors (the way Redis scans).
   *
   * @return where to go on
   */
  long scan(long cursor, Consumer<Entry> action) {
    for (Entry e = table[(int) cursor & (table.length - 1)]; e != null; e = e.next) {
      action.accept(e);
    }
    return Long.reverse(Long.reverse(cursor | -table.length) + 1);
  }

  private int index(long hash) {
    return (int) hash & (table.length - 1);
  }

  private void resize(int length) {
    @Nullable Entry[] old = table;
    table = new Entry[length];
    for (Entry head : old) {
      for (Entry e = head; e != null; ) {
        Entry next = e.next;
        link(e);
        e = next;
      }
    }
  }
}
