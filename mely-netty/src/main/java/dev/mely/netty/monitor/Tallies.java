package dev.mely.netty.monitor;

import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Which colors and handlers ran, or waited, in how many looks. Not thread-safe. */
final class Tallies {
  /** More colors than that in one second are left out. */
  private static final int MOST = 10_000;

  /** Beginning of the stages of channels: all channels of a class are one stage. */
  private static final String IO = "I/O of ";

  private final IdentityHashMap<Object, Tally> colors = new IdentityHashMap<>();
  private final IdentityHashMap<Object, Tally> handlers = new IdentityHashMap<>();
  private int looks;

  /** In how many looks something ran, and waited; and its state at the last of them. */
  private static final class Tally {
    private int ran;
    private int waited;
    private ColorState last;

    Tally(ColorState last) {
      this.last = last;
    }

    void add(Tally other) {
      ran += other.ran;
      waited += other.waited;
      last = other.last;
    }

    int seen() {
      return ran + waited;
    }
  }

  /** Another look at all cores begins. */
  void look() {
    looks++;
  }

  /** What one of them runs, and what waits there. */
  void add(CoreState core) {
    if (core.running() != null) {
      add(core.running(), 1, 0);
    }
    core.waiting().forEach(color -> add(color, 0, 1));
  }

  private void add(ColorState color, int ran, int waited) {
    count(colors, color.color(), color, ran, waited);
    if (color.handler() != null) {
      count(handlers, color.handler(), color, ran, waited);
    }
  }

  private static void count(
      IdentityHashMap<Object, Tally> tallies, Object key, ColorState color, int ran, int waited) {
    @Nullable Tally tally = tallies.get(key);
    if (tally == null) {
      if (tallies.size() == MOST) {
        return;
      }
      tally = new Tally(color);
      tallies.put(key, tally);
    }
    tally.ran += ran;
    tally.waited += waited;
    // Of a channel, the name of its I/O says which one it is; that of its tasks does not.
    if (!stage(tally.last).startsWith(IO) || stage(color).startsWith(IO)) {
      tally.last = color;
    }
  }

  /** The heaviest colors. */
  List<Heavy> colors() {
    return colors.values().stream()
        .sorted(heaviestFirst())
        .limit(GroupFigures.HEAVIEST)
        .map(tally -> heavy(name(tally.last), tally, true))
        .toList();
  }

  /** The heaviest handlers: those that run the same code are one. */
  List<Heavy> handlers() {
    Map<String, Tally> byCode = new HashMap<>();
    handlers
        .values()
        .forEach(
            tally ->
                byCode.computeIfAbsent(code(tally.last), code -> new Tally(tally.last)).add(tally));
    return byCode.entrySet().stream()
        .sorted(Map.Entry.comparingByValue(heaviestFirst()))
        .limit(GroupFigures.HEAVIEST)
        .map(entry -> heavy(entry.getKey(), entry.getValue(), false))
        .toList();
  }

  private static Comparator<Tally> heaviestFirst() {
    return Comparator.<Tally>comparingInt(tally -> tally.ran)
        .thenComparingInt(Tally::seen)
        .reversed();
  }

  private Heavy heavy(String name, Tally tally, boolean color) {
    ColorState last = tally.last;
    return new Heavy(
        name,
        (double) tally.ran / looks,
        (double) tally.waited / looks,
        color ? (double) last.pending() : null,
        last.costNanos() == 0 ? null : last.costNanos() / 1e3,
        (double) last.penalty());
  }

  /** What people call the color: by its handler, which names the channel. */
  private static String name(ColorState color) {
    return text(color.handler() == null ? color.color() : color.handler());
  }

  /** The text of a user's object, whose {@code toString} may fail. */
  static String text(Object object) {
    try {
      return String.valueOf(object);
    } catch (RuntimeException | Error e) {
      return object.getClass().getName();
    }
  }

  /** The stage; of a channel: the handlers of its pipeline. */
  private static String code(ColorState color) {
    String stage = stage(color);
    if (!stage.startsWith(IO)) {
      return stage;
    }
    return parts(color).stream()
        .map(type -> type.getName().substring(type.getPackageName().length()))
        .map(name -> name.replaceFirst("^\\.", "").replace('$', '.'))
        .collect(Collectors.joining(", ", stage + ": ", ""));
  }

  private static List<Class<?>> parts(ColorState color) {
    try {
      return color.parts();
    } catch (RuntimeException | Error e) { // a user's handler
      return List.of();
    }
  }

  private static String stage(ColorState color) {
    try {
      return color.stage();
    } catch (RuntimeException | Error e) { // a user's handler
      return "?";
    }
  }
}
