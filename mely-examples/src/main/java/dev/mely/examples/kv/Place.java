package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Permissions;
import org.jspecify.annotations.Nullable;

/** Where a command runs: which colors its event asks for. Immutable. */
final class Place {
  /** Nothing is asked for: whoever comes by may run it. */
  static final Place NOWHERE = new Place(null, null, null);

  /** The only one that is asked for, to write it; null: see {@link #asked}. */
  private final @Nullable Color color;

  private final @Nullable Permissions asked;

  /** Asking for this would be enough; null: nothing less is known. */
  private final @Nullable Place less;

  private Place(@Nullable Color color, @Nullable Permissions asked, @Nullable Place less) {
    this.color = color;
    this.asked = asked;
    this.less = less;
  }

  static Place of(Permissions asked) {
    return new Place(null, asked, null);
  }

  /** The color alone, for itself; who has it may do what needs less, too. */
  static Place of(Color color, Place less) {
    return new Place(color, null, less);
  }

  /** Whether who is here may do what is to be done there. */
  boolean covers(Place there) {
    return there == this || there == NOWHERE || (less != null && there == less);
  }

  /** Whether it is one color, for itself. */
  boolean isOne() {
    return color != null;
  }

  <E> void register(Mely mely, Handler<? super E> handler, E event) {
    if (color != null) {
      mely.register(color, handler, event);
    } else {
      mely.register(asked == null ? Permissions.none() : asked, handler, event);
    }
  }
}
