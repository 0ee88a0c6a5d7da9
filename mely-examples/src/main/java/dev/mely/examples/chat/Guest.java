package dev.mely.examples.chat;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Lines;
import dev.mely.examples.service.Session;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** One connection to the room. Belongs to the connection's color. */
final class Guest implements Session {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-]{1,20}");

  private final Room room;
  private final Connection connection;
  private final Lines lines = new Lines(ChatProtocol.LONGEST_LINE);

  /** Lines received and not handled yet. */
  private final Queue<String> waiting = new ArrayDeque<>();

  private @Nullable String name;

  /** Whether a request to the room is not answered yet. */
  private boolean asking;

  private boolean ending;
  private boolean tooSlow;
  private boolean gone;
  private String farewell = "";

  Guest(Room room, Connection connection) {
    this.room = room;
    this.connection = connection;
  }

  /** Runs a task in this guest's color. Any thread. */
  void color(Runnable task) {
    connection.execute(task);
  }

  // ---- From the client

  @Override
  public void received(ByteBuffer bytes) {
    if (ending) {
      return;
    }
    try {
      lines.take(bytes, waiting);
    } catch (Lines.Refused e) {
      ending = true;
      farewell = "error: " + e.getMessage() + "\n";
    }
    proceed();
  }

  @Override
  public void drained() {
    proceed();
  }

  @Override
  public void ended() {
    ending = true;
    proceed();
  }

  @Override
  public void closed() {
    gone = true;
    waiting.clear();
    depart();
  }

  /** Leaves the room, once. */
  private void depart() {
    String known = name;
    if (known != null) {
      name = null;
      room.leave(this, known, tooSlow ? "has been dropped, too slow" : "has gone");
    }
  }

  // ---- From the room

  /** Takes the room's answer: the name, or null if it was not free. */
  void joined(@Nullable String free) {
    asking = false;
    if (gone) {
      if (free != null) {
        room.leave(this, free, "has gone");
      }
      return;
    }
    name = free;
    if (free == null) {
      send("error: that name is taken\n");
    }
    proceed();
  }

  /** The room's handler threw an exception while it served this guest's request. */
  void failed() {
    connection.abort();
  }

  /** Sends what a guest has said. */
  void hear(ByteBuffer text) {
    if (connection.unsent() > ChatProtocol.MAX_BEHIND) {
      tooSlow = true;
      connection.abort();
    } else {
      connection.send(text);
    }
  }

  /** What this guest has said has been passed to all. */
  void heard() {
    asking = false;
    proceed();
  }

  // ---- One step after the other

  /** Handles the waiting lines, with one open request at a time; then resumes reading, or ends. */
  private void proceed() {
    while (!asking && !waiting.isEmpty() && !gone) {
      next();
    }
    if (asking || gone) {
      connection.pause();
    } else if (ending) {
      depart();
      send(farewell);
      connection.finish();
    } else if (connection.unsent() > 0) {
      connection.pause(); // back-pressure: a client that does not read is not read from
    } else {
      connection.resume();
    }
  }

  private void next() {
    String line = waiting.remove();
    String known = name;
    if (known == null) {
      introduce(line);
    } else if (line.equals("/who")) {
      asking = true;
      room.who(this);
    } else if (line.equals("/quit")) {
      quit();
    } else {
      StringBuilder said = new StringBuilder();
      speak(said, known, line);
      for (String more = waiting.peek(); more != null && !more.startsWith("/"); ) {
        speak(said, known, waiting.remove());
        more = waiting.peek();
      }
      asking = true;
      room.say(this, said.toString());
    }
  }

  private void introduce(String line) {
    if (line.equals("/quit")) {
      quit();
    } else if (NAME.matcher(line).matches()) {
      asking = true;
      room.join(this, line);
    } else {
      send("error: a name has 1 to 20 letters, digits, '-' and '_'\n");
    }
  }

  private void quit() {
    waiting.clear();
    ending = true;
  }

  /** Appends a line, without control characters: they would act on the readers' terminals. */
  private static void speak(StringBuilder said, String name, String line) {
    said.append(name).append(": ");
    line.codePoints().map(c -> Character.isISOControl(c) ? '?' : c).forEach(said::appendCodePoint);
    said.append('\n');
  }

  private void send(String text) {
    connection.send(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
  }
}
