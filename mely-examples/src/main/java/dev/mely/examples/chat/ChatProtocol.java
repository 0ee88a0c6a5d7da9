package dev.mely.examples.chat;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.util.concurrent.Executor;

/**
 * A chat room. A client's first line is its name; each further line goes to all guests, the sender
 * included. {@code /who} lists the guests; {@code /quit} closes the connection, and so does a line
 * that looks like HTTP.
 *
 * <p>The {@link Room} with its list of guests belongs to a color of its own; a {@link Guest} and
 * its unsent output belong to the color of its connection.
 */
public final class ChatProtocol implements Protocol {
  /** How many bytes a line may have; a longer one closes the connection. */
  static final int LONGEST_LINE = 1024;

  /**
   * A guest with more unsent bytes than this when a new line is sent reads too slowly, and is
   * dropped. The operating system's send buffer comes on top.
   */
  static final int MAX_BEHIND = 256 * 1024;

  /** Size of the operating system's send buffer, which could otherwise be megabytes. */
  static final int SEND_BUFFER = 64 * 1024;

  private final Room room;

  /**
   * Opens an empty room.
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
