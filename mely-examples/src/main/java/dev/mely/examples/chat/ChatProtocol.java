package dev.mely.examples.chat;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.util.concurrent.Executor;

/**
 * A room in which all hear what one says. The first line that a client sends is its name, each
 * other one is heard by all, itself included. {@code /who} tells who is there, {@code /quit} ends,
 * and so does a line that looks like HTTP.
 *
 * <p>Who is there is known to the {@link Room}, which belongs to a color of its own; what a client
 * still has to be sent belongs to the client's color, as its {@link Guest} does.
 */
public final class ChatProtocol implements Protocol {
  /** How many bytes a line may have; a longer one ends the connection. */
  static final int LONGEST_LINE = 1024;

  /**
   * Who has more than this unsent when something new is to be heard does not read, or too slowly,
   * and is dropped. What the operating system holds for the client comes on top.
   */
  static final int MAX_BEHIND = 256 * 1024;

  /** What the operating system shall hold for a client: else it may be megabytes. */
  static final int SEND_BUFFER = 64 * 1024;

  private final Room room;

  /**
   * Opens a room with nobody in it.
   *
   * @param color to which the room belongs
   */
  public ChatProtocol(Executor color) {
    room = new Room(color);
  }

  @Override
  public Session open(Connection connection) {
    return new Guest(room, connection);
  }
}
