package dev.mely.examples.chat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who is there. All methods may be called in any color: what they do, they do in the room's, one
 * after the other. So what is said is heard by all in one and the same order.
 */
final class Room {
  private final Executor color;

  /** Belongs to the color. */
  private final Map<String, Guest> guests = new TreeMap<>();

  Room(Executor color) {
    this.color = color;
  }

  /** Lets a guest in under a name, and tells it whether that name was free. */
  void join(Guest guest, String name) {
    color.execute( // to the room's color
        () -> {
          boolean free = guests.putIfAbsent(name, guest) == null;
          guest.color(() -> guest.joined(free ? name : null)); // back to the guest's
          if (free) {
            announce(name + " has come, " + guests.size() + " here");
          }
        });
  }

  /** A guest that has a name goes. */
  void leave(String name, String how) {
    color.execute( // to the room's color
        () -> {
          guests.remove(name);
          announce(name + " " + how);
        });
  }

  /**
   * Lets all hear what one says. The speaker is told when it has been given to all: until then it
   * says nothing more, so that no color is flooded.
   */
  void say(Guest speaker, String text) {
    color.execute(() -> broadcast(text, () -> speaker.color(speaker::heard))); // to the room's
  }

  /** Tells one who is there. */
  void who(Guest guest) {
    color.execute( // to the room's color
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
    for (Guest guest : guests.values()) {
      guest.color( // to each guest's color
          () -> {
            guest.hear(bytes.duplicate());
            if (left.decrementAndGet() == 0) {
              whenGiven.run();
            }
          });
    }
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }
}
