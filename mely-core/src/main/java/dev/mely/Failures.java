package dev.mely;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the children of a fork have thrown, in the order in which they ended. Most children throw
 * nothing, so the list is made on demand. Of several, later ones may be missing where memory has
 * run out. It is read when all children have ended.
 */
final class Failures extends AbstractList<Throwable> {
  private @Nullable Throwable first;
  private @Nullable List<Throwable> others;

  /** Any thread. Throws nothing: the child's colors are still to be released. */
  synchronized void note(Throwable why) {
    if (first == null) {
      first = why; // takes no memory: a list that is empty says that all children have succeeded
      return;
    }
    try {
      if (others == null) {
        others = new ArrayList<>();
      }
      others.add(why);
    } catch (OutOfMemoryError e) {
      // The error handler has been told of it.
    }
  }

  @Override
  public Throwable get(int index) {
    Objects.checkIndex(index, size());
    return index == 0 || others == null ? Objects.requireNonNull(first) : others.get(index - 1);
  }

  @Override
  public int size() {
    return (first == null ? 0 : 1) + (others == null ? 0 : others.size());
  }
}
