package dev.mely.examples.counter;

import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Lines;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.Session;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * A counter that all clients share. The line {@code +} increments it, {@code ?} reads it; the
 * answer is a line with the value after that. Other lines are answered by an error; a line that is
 * too long, or is HTTP, closes the connection.
 *
 * <p>The counter is a plain variable: it belongs to a color of its own, and needs no lock and no
 * atomic operation. A connection sends its requests to that color as one event and gets the answers
 * back as another; until then it does not read. So answers are in order, and a client that does not
 * read its answers cannot send more.
 */
public final class CounterProtocol implements Protocol {
  private static final int LONGEST_LINE = 64;

  private final Executor color;

  /** Belongs to the counter's color. */
  private long value;

  /**
   * Makes a counter at zero.
   *
   * @param color to which the counter belongs
   */
  public CounterProtocol(Executor color) {
    this.color = color;
  }

  @Override
  public Session open(Connection connection) {
    return new Client(connection);
  }

  /** In the counter's color. */
  private String answer(List<String> requests) {
    StringBuilder answers = new StringBuilder();
    for (String request : requests) {
      switch (request) {
        case "+" -> answers.append(++value);
        case "?" -> answers.append(value);
        default -> answers.append("error: '+' increments, '?' reads");
      }
      answers.append('\n');
    }
    return answers.toString();
  }

  /** One connection; in its color. */
  private final class Client implements Session {
    private final Connection connection;
    private final Lines lines = new Lines(LONGEST_LINE);

    /** How many of this connection's requests are not answered yet, in events. */
    private int away;

    /** The last line to send before the connection ends; empty: none. */
    private String farewell = "";

    private boolean ending;

    Client(Connection connection) {
      this.connection = connection;
    }

    @Override
    public void received(ByteBuffer bytes) {
      if (ending) {
        return;
      }
      List<String> requests = new ArrayList<>();
      try {
        lines.take(bytes, requests);
      } catch (Lines.Refused e) {
        ending = true;
        farewell = "error: " + e.getMessage() + '\n';
      }
      if (!requests.isEmpty()) {
        ask(requests);
      }
      proceed();
    }

    private void ask(List<String> requests) {
      away++;
      color.execute( // to the counter's color
          () -> {
            try {
              String answers = answer(requests);
              connection.execute(() -> answered(answers)); // and back to the connection's
            } catch (Throwable t) {
              connection.execute(connection::abort); // else the client would wait forever
              throw t;
            }
          });
    }

    private void answered(String answers) {
      away--;
      send(answers);
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

    /** Once all answers have been sent: resumes reading, or ends. */
    private void proceed() {
      if (away > 0) {
        connection.pause();
      } else if (ending) {
        send(farewell);
        connection.finish();
      } else if (connection.unsent() > 0) {
        connection.pause();
      } else {
        connection.resume();
      }
    }

    private void send(String text) {
      connection.send(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
    }
  }
}
