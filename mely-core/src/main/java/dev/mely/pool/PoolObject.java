package dev.mely.pool;

import dev.mely.stage.Plan;
import java.util.List;
import java.util.Objects;

/**
 * One line of a plan: a kind of object, and how many instances of it a core may have at a time.
 *
 * <p>Source: Stingy Allocator (ISMM'06), section 3.1: an object is what one allocation site
 * allocates, {@code size(O)} bytes each, and the allocator manages {@code n(O)} of them.
 *
 * @param name for people; not empty
 * @param size of an instance in bytes, 1 or more
 * @param count of instances, 0 or more; with 0 every one of them comes from elsewhere
 */
public record PoolObject(String name, int size, int count) {
  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is out of range
   */
  public PoolObject {
    if (Objects.requireNonNull(name, "name").isEmpty()) {
      throw new IllegalArgumentException("name: empty");
    }
    if (size < 1) {
      throw new IllegalArgumentException(
          "size of " + name + ": " + size + " (expected: 1 or more bytes)");
    }
    if (count < 0) {
      throw new IllegalArgumentException(
          "count of " + name + ": " + count + " (expected: 0 or more)");
    }
  }

  /**
   * Returns what an instance takes of the slab: each begins at a cache line of its own.
   *
   * @return the size in bytes, rounded up to a multiple of {@link Pool#LINE}
   */
  public long slabSize() {
    return ((long) size + Pool.LINE - 1) & -Pool.LINE;
  }

  /**
   * Reads what {@code stingy plan} has found out.
   *
   * @param plan for the working set of one core
   * @return its objects in its order, the indices of {@link Pool#take}; unmodifiable
   */
  public static List<PoolObject> of(Plan plan) {
    return Objects.requireNonNull(plan, "plan").objects().entrySet().stream()
        .map(o -> new PoolObject(o.getKey(), o.getValue().bytes(), o.getValue().count()))
        .toList();
  }
}
