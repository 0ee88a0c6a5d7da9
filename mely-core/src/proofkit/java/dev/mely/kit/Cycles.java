package dev.mely.kit;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.Collections;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Cycles of the top-level classes of one package: classes of which each depends on every other, be
 * it through others. What a nested class depends on counts for the one around it.
 */
public final class Cycles {
  private static final SortedSet<String> NONE = Collections.emptySortedSet();

  private final Map<String, SortedSet<String>> uses = new TreeMap<>();

  /**
   * @param classes imported ones, of the package or not
   * @param packageName the package, without those below it
   */
  public Cycles(Iterable<JavaClass> classes, String packageName) {
    for (JavaClass from : classes) {
      if (from.getPackageName().equals(packageName)) {
        SortedSet<String> used = uses.computeIfAbsent(topLevel(from), name -> new TreeSet<>());
        for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
          JavaClass to = dependency.getTargetClass().getBaseComponentType();
          if (to.getPackageName().equals(packageName)) {
            used.add(topLevel(to));
          }
        }
      }
    }
  }

  private static String topLevel(JavaClass type) {
    return type.getName().replaceFirst("^.*\\.", "").replaceFirst("\\$.*", "");
  }

  /** The names of all top-level classes. */
  public SortedSet<String> classes() {
    return new TreeSet<>(uses.keySet());
  }

  /** By the name of a class: those of the package that it uses. */
  public Map<String, SortedSet<String>> uses() {
    return uses;
  }

  /** The simple names of the classes of the largest cycle; empty if there is none. */
  public SortedSet<String> largest() {
    Map<String, SortedSet<String>> reached = new TreeMap<>();
    uses.keySet().forEach(name -> reach(name, reached.computeIfAbsent(name, n -> new TreeSet<>())));
    SortedSet<String> largest = new TreeSet<>();
    for (String name : uses.keySet()) {
      SortedSet<String> cycle = new TreeSet<>(reached.get(name));
      cycle.removeIf(other -> !reached.getOrDefault(other, NONE).contains(name));
      if (cycle.size() > 1 && cycle.size() > largest.size()) {
        largest = cycle;
      }
    }
    return largest;
  }

  private void reach(String name, SortedSet<String> reached) {
    for (String used : uses.getOrDefault(name, NONE)) {
      if (reached.add(used)) {
        reach(used, reached);
      }
    }
  }
}
