package dev.mely.examples.chat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The guests. All methods may be called in any color: they do their work in the room's color, one
 * after the other. So all guests get all lines in the same order.
 */
final class Room {
  private static final Logger LOG = LoggerFactory.getLogger(Room.class);

  private final Executor color;

  /** By name. Belongs to the room's color. */
  private final Map<String, Guest> guests = new TreeMap<>();

  Room(Executor color) {
    this.color = color;
  }

  /**
   * Runs a request in the room's color. An exception ends the connection of the guest who asked.
   */
  private void ask(Guest guest, Runnable request) {
    color.execute(
        () -> {
          try {
            request.run();
          } catch (Throwable t) {
            guests.values().remove(guest);
            guest.color(guest::failed);
            throw t;
          }
        });
  }

  /** Lets a guest in under a name, and tells it whether that name was free. */
  void join(Guest guest, String name) {
    ask( // to the room's color
        guest,
        () -> {
          boolean free = guests.putIfAbsent(name, guest) == null;
          guest.color(() -> guest.joined(free ? name : null)); // back to the guest's
          if (free) {
            announce(name + " has come, " + guests.size() + " here");
          }
        });
  }

  /** Removes a guest that has a name. */
  void leave(Guest guest, String name, String how) {
    color.execute( // to the room's color
        () -> {
          guests.remove(name, guest);
          announce(name + " " + how);
        });
  }

  /**
   * Sends a line to all. The speaker is told when it has been passed to all, and says nothing more
   * until then, so that no color is flooded.
   */
  void say(Guest speaker, String text) {
    ask(speaker, () -> broadcast(text, () -> heard(speaker))); // to the room's
  }

  /** Runs in the color of the guest who was told last; an exception must not end that guest. */
  private static void heard(Guest speaker) {
    try {
      speaker.color(speaker::heard);
    } catch (Throwable e) {
      LOG.warn("a guest could not be told that its line was sent", e);
      speaker.color(speaker::failed); // else it would wait forever
    }
  }

  /** Tells a guest who is in the room. */
  void who(Guest guest) {
    ask( // to the room's color
        guest,
        () -> {
          String names = String.join(", ", List.copyOf(guests.keySet()));
          guest.color( // and back to the guest's
              () -> {
                guest.hear(bytes("* here: " + names + "\n"));
                guest.heard();
              });
        });
  }

  private void announce(String news) {
    broadcast("* " + news + "\n", () -> {});
  }

  /** In the room's color. */
  private void broadcast(String text, Runnable whenGiven) {
    if (guests.isEmpty()) {
      whenGiven.run();
      return;
    }
    ByteBuffer bytes = bytes(text);
    AtomicInteger left = new AtomicInteger(guests.size());
    Runnable given =
        () -> {
          if (left.decrementAndGet() == 0) {
            whenGiven.run();
          }
        };
    for (Guest guest : guests.values()) {
      tell(guest, bytes.duplicate(), given);
    }
  }

  /** Skips a guest whose color takes no more events: the others still get the line. */
  private static void tell(Guest guest, ByteBuffer bytes, Runnable given) {
    try {
      guest.color( // to each guest's color
          () -> {
            try {
              guest.hear(bytes);
            } finally {
              given.run();
            }
          });
    } catch (Throwable e) {
      LOG.warn("a line could not be passed to a guest", e);
      given.run();
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }
}
