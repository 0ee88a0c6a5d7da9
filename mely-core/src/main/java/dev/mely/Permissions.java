package dev.mely;

import java.util.Arrays;
import java.util.Objects;
import java.util.StringJoiner;

/**
 * What an event may do to which colors while it runs: read, together with others that read, or
 * write, alone.
 *
 * <pre>{@code
 * mely.register(Permissions.write(from, to), transfer, order); // both, or neither
 * mely.register(Permissions.read(cache), lookUp, key); // beside other readers, on any core
 * mely.register(Permissions.write(account).andRead(rates), convert, order);
 * }</pre>
 *
 * <p>An event that is registered with a color alone writes that color: it and {@code write(color)}
 * are the same. All that an event asks for is granted at once or not at all, without deadlock:
 * events wait in the queues of their colors, first come, first served. Of two events that ask for
 * the same color, and do not both read it, the one that was registered first runs first, and the
 * other one sees all that it has done. Readers that are next to each other run in parallel; a
 * writer waits for the readers before it, and those after it wait for the writer, so that neither
 * starves.
 *
 * <p>Immutable. Source: Eve, section 2 (permissions; SPEC E1, E2).
 */
public final class Permissions {
  private static final Permissions NONE = new Permissions(new Color[0], new boolean[0]);

  private final Color[] colors;

  /** Whether a color is only read. */
  private final boolean[] reads;

  /** The colors that are written, and behind {@link HeldColors#READ} those that are only read. */
  private final Object[] held;

  private Permissions(Color[] colors, boolean[] reads) {
    this.colors = colors;
    this.reads = reads;
    this.held = held(colors, reads);
  }

  private static Object[] held(Color[] colors, boolean[] reads) {
    int written = 0;
    for (boolean read : reads) {
      written += read ? 0 : 1;
    }
    if (written == colors.length) {
      return colors;
    }
    Object[] held = new Object[colors.length + 1];
    held[written] = HeldColors.READ;
    int writes = 0;
    int reading = written + 1;
    for (int i = 0; i < colors.length; i++) {
      held[reads[i] ? reading++ : writes++] = colors[i];
    }
    return held;
  }

  /**
   * Asks for nothing: such an event runs beside all others, in no order.
   *
   * @return always the same
   */
  public static Permissions none() {
    return NONE;
  }

  /**
   * Asks to write some colors.
   *
   * @param colors each of the same runtime
   * @return new permissions
   */
  public static Permissions write(Color... colors) {
    return NONE.andWrite(Objects.requireNonNull(colors, "colors"));
  }

  /**
   * Asks to read some colors.
   *
   * @param colors each of the same runtime
   * @return new permissions
   */
  public static Permissions read(Color... colors) {
    return NONE.andRead(Objects.requireNonNull(colors, "colors"));
  }

  /**
   * Asks to write some colors, too. What is asked for twice is written.
   *
   * @param more each of the same runtime
   * @return new permissions
   */
  public Permissions andWrite(Color... more) {
    return and(more, false);
  }

  /**
   * Asks to read some colors, too. What is asked for twice is written if one of the two says so.
   *
   * @param more each of the same runtime
   * @return new permissions
   */
  public Permissions andRead(Color... more) {
    return and(more, true);
  }

  private Permissions and(Color[] more, boolean read) {
    int n = colors.length;
    Color[] all = Arrays.copyOf(colors, n + Objects.requireNonNull(more, "more").length);
    boolean[] allReads = Arrays.copyOf(reads, n + more.length);
    for (Color color : more) {
      int at = indexOf(all, n, Objects.requireNonNull(color, "color"));
      if (at < 0) {
        all[n] = color;
        allReads[n++] = read;
      } else {
        allReads[at] &= read;
      }
    }
    return new Permissions(Arrays.copyOf(all, n), Arrays.copyOf(allReads, n));
  }

  private static int indexOf(Color[] all, int n, Color color) {
    for (int i = 0; i < n; i++) {
      if (all[i] == color) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Returns whether these permissions allow to read a color.
   *
   * @param color any color
   * @return true if they allow to read or to write it
   */
  public boolean mayRead(Color color) {
    return indexOf(colors, colors.length, Objects.requireNonNull(color, "color")) >= 0;
  }

  /**
   * Returns whether these permissions allow to write a color.
   *
   * @param color any color
   * @return true if they do
   */
  public boolean mayWrite(Color color) {
    int at = indexOf(colors, colors.length, Objects.requireNonNull(color, "color"));
    return at >= 0 && !reads[at];
  }

  int size() {
    return colors.length;
  }

  Color color(int index) {
    return colors[index];
  }

  boolean reads(int index) {
    return reads[index];
  }

  /** Not to be changed. */
  Color[] colors() {
    return colors;
  }

  /** As {@link HeldColors} knows them; not to be changed. */
  Object[] held() {
    return held;
  }

  /** Whether this is what a plain registration asks for. */
  boolean isOneWriter() {
    return colors.length == 1 && !reads[0];
  }

  /**
   * Makes sure that others ask for nothing that these do not allow.
   *
   * @throws IllegalArgumentException if they do; names the color
   */
  void checkCover(Permissions others) {
    for (int i = 0; i < others.size(); i++) {
      Color color = others.color(i);
      if (others.reads(i) ? !mayRead(color) : !mayWrite(color)) {
        String verb = others.reads(i) ? "read " : "write ";
        throw new IllegalArgumentException(
            "to " + verb + color + " is more than the event may that forks: " + this);
      }
    }
  }

  /**
   * Makes sure that there is one core for the event.
   *
   * @throws IllegalArgumentException if two colors are pinned to different ones
   */
  void checkPins() {
    Color pinned = null;
    for (Color color : colors) {
      if (color.isPinned()) {
        if (pinned != null && pinned.core() != color.core()) {
          throw new IllegalArgumentException(
              "no core may run an event for both " + pinned + " and " + color);
        }
        pinned = color;
      }
    }
  }

  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", "[", "]");
    for (int i = 0; i < colors.length; i++) {
      text.add((reads[i] ? "read " : "write ") + colors[i]);
    }
    return text.toString();
  }
}
