package dev.mely;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the children of a fork have thrown, in the order in which they ended. Most children throw
 * nothing, so the list is made on demand. It is read when all children have ended.
 */
final class Failures extends AbstractList<Throwable> {
  private @Nullable List<Throwable> all;

  /** Any thread. */
  synchronized void note(Throwable why) {
    if (all == null) {
      all = new ArrayList<>();
    }
    all.add(why);
  }

  @Override
  public Throwable get(int index) {
    if (all == null) {
      throw new IndexOutOfBoundsException(index);
    }
    return all.get(index);
  }

  @Override
  public int size() {
    return all == null ? 0 : all.size();
  }
}
