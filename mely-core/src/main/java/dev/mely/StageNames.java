package dev.mely;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Names for handlers that have none: that of the class, without its package. Functions that are
 * written in one class are numbered, as they are asked for.
 */
final class StageNames {
  private static final Map<String, Integer> FUNCTIONS = new ConcurrentHashMap<>();

  private static final ClassValue<String> NAMES =
      new ClassValue<>() {
        @Override
        protected String computeValue(Class<?> type) {
          return name(type.getName());
        }
      };

  private StageNames() {}

  static String of(Class<?> type) {
    return NAMES.get(type);
  }

  private static String name(String binary) {
    int lambda = binary.indexOf("$$Lambda");
    int hidden = binary.indexOf('/'); // what follows is the number of a hidden class
    int end = lambda >= 0 ? lambda : hidden;
    String plain = end < 0 ? binary : binary.substring(0, end);
    String simple = plain.substring(plain.lastIndexOf('.') + 1).replace('$', '.');
    return lambda < 0 ? simple : simple + " #" + FUNCTIONS.merge(plain, 1, Integer::sum);
  }
}
