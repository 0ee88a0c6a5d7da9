package dev.mely.examples.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A protocol that throws an {@code Error}, wherever it is called: the connection ends, its place is
 * free again, and neither the others nor the end of the server wait for it.
 */
@Timeout(300)
class FaultyProtocolTest {
  private static final int PART = 16 << 20;

  /** Where it throws, for the client that sends the word. */
  private enum Where {
    OPEN,
    RECEIVED,
    DRAINED,
    ENDED,
    CLOSED,
    TASK,
    SHARED_TASK
  }

  static Stream<Arguments> cases() {
    return Stream.of(Where.values())
        .flatMap(where -> Stream.of(Carrier.values()).map(on -> Arguments.of(where, on)));
  }

  /** The first connection meets the fault, every other one is answered. */
  private static final class Faulty implements Protocol {
    private final Where where;
    private final Executor shared;
    private boolean met;

    Faulty(Where where, Executor shared) {
      this.where = where;
      this.shared = shared;
    }

    @Override
    public synchronized Session open(Connection connection) {
      boolean first = !met;
      met = true;
      if (first && where == Where.OPEN) {
        throw fault();
      }
      return new Session() {
        @Override
        public void received(ByteBuffer bytes) {
          if (!first) {
            connection.send(ByteBuffer.wrap("well\n".getBytes(StandardCharsets.UTF_8)));
            return;
          }
          switch (where) {
            case RECEIVED -> throw fault();
            case DRAINED -> sendUntilItWaits(connection);
            case CLOSED -> connection.abort();
            case TASK -> connection.execute(FaultyProtocolTest::fail);
            case SHARED_TASK -> shared.execute(() -> connection.execute(FaultyProtocolTest::fail));
            default -> {}
          }
        }

        @Override
        public void drained() {
          if (where == Where.DRAINED) {
            throw fault();
          }
        }

        @Override
        public void ended() {
          if (where == Where.ENDED) {
            throw fault();
          }
          connection.finish();
        }

        @Override
        public void closed() {
          if (where == Where.CLOSED) {
            throw fault();
          }
        }
      };
    }
  }

  /** A client that reads meanwhile may take the first part at once: nothing would be drained. */
  private static void sendUntilItWaits(Connection connection) {
    do {
      connection.send(ByteBuffer.allocate(PART));
    } while (connection.unsent() == 0);
  }

  private static Error fault() {
    return new OutOfMemoryError("planted");
  }

  private static void fail() {
    throw fault();
  }

  @ParameterizedTest
  @MethodSource("cases")
  void costsItsConnectionAlone(Where where, Carrier carrier) throws Exception {
    // A limit of one: if the place were kept, no other client could connect.
    try (Server server = carrier.start(shared -> new Faulty(where, shared), 1, 0)) {
      try (TextClient client = new TextClient(server.address())) {
        try {
          client.send("word\n");
          if (where == Where.ENDED) {
            client.endOutput();
          }
          int parts = 0;
          int length = client.bytes(PART).length;
          while (length == PART) {
            parts++;
            length = client.bytes(PART).length;
          }
          assertEquals(0, length);
          assertEquals(where == Where.DRAINED, parts > 0);
        } catch (SocketException reset) {
          // An end, too.
        }
      }
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(() -> assertEquals(0, server.clients().open()));
      try (TextClient client = new TextClient(server.address())) {
        assertEquals("well", client.send("word\n").line());
        client.endOutput();
        assertNull(client.line());
      }
    }
  }
}
