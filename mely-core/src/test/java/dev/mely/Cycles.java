package dev.mely;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which classes of a package need each other: its cycles, nested classes counted as their outer.
 */
final class Cycles {
  private final Map<String, Set<String>> needs = new HashMap<>();

  Cycles(JavaClasses classes, String inPackage) {
    for (JavaClass from : classes) {
      if (from.getPackageName().equals(inPackage)) {
        Set<String> targets = needs.computeIfAbsent(name(from), n -> new HashSet<>());
        for (Dependency dependency : from.getDirectDependenciesFromSelf()) {
          JavaClass to = dependency.getTargetClass().getBaseComponentType();
          if (to.getPackageName().equals(inPackage)) {
            targets.add(name(to));
          }
        }
      }
    }
  }

  private static String name(JavaClass type) {
    return type.getName().substring(type.getPackageName().length() + 1).replaceFirst("\\$.*", "");
  }

  /** The largest set of classes of which each needs each other, directly or not. */
  Set<String> largest() {
    Set<String> largest = new TreeSet<>();
    for (String one : needs.keySet()) {
      Set<String> cycle = new TreeSet<>();
      for (String other : reachable(one)) {
        if (reachable(other).contains(one)) {
          cycle.add(other);
        }
      }
      if (cycle.size() > largest.size()) {
        largest = cycle;
      }
    }
    return largest;
  }

  /** By class: those of the package that it needs. */
  Map<String, Set<String>> needs() {
    return needs;
  }

  /** Whether the first needs the second, directly or not. */
  boolean reaches(String from, String to) {
    return reachable(from).contains(to);
  }

  private Set<String> reachable(String from) {
    Set<String> seen = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(needs.getOrDefault(from, Set.of()));
    while (!open.isEmpty()) {
      String next = open.pop();
      if (seen.add(next)) {
        open.addAll(needs.getOrDefault(next, Set.of()));
      }
    }
    return seen;
  }
}
