package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.mely.examples.chat.ChatProtocol;
import dev.mely.examples.counter.CounterProtocol;
import java.io.IOException;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@code Error} in the color that all connections share, when it answers one of them: that one
 * is dropped and waits for nothing; what is shared goes on for the others.
 */
@Timeout(300)
class SharedColorFaultTest {
  /** Cannot be told something when its turn comes, and is well otherwise. */
  private static final class Unreachable implements Connection {
    private final Connection connection;
    private final Set<Integer> when;
    private final AtomicInteger told = new AtomicInteger();

    /** Which calls of {@link #execute} throw, beginning with 1. */
    Unreachable(Connection connection, Set<Integer> when) {
      this.connection = connection;
      this.when = when;
    }

    @Override
    public void execute(Runnable task) {
      if (when.contains(told.incrementAndGet())) {
        throw new OutOfMemoryError("planted");
      }
      connection.execute(task);
    }

    @Override
    public void send(ByteBuffer bytes) {
      connection.send(bytes);
    }

    @Override
    public long unsent() {
      return connection.unsent();
    }

    @Override
    public void pause() {
      connection.pause();
    }

    @Override
    public void resume() {
      connection.resume();
    }

    @Override
    public void finish() {
      connection.finish();
    }

    @Override
    public void abort() {
      connection.abort();
    }
  }

  /** The second connection cannot be told something. */
  private static Protocol second(Protocol protocol, Set<Integer> when) {
    AtomicInteger opened = new AtomicInteger();
    return connection ->
        protocol.open(
            opened.incrementAndGet() == 2 ? new Unreachable(connection, when) : connection);
  }

  private static void assertEnded(TextClient client) throws IOException {
    try {
      assertNull(client.line());
    } catch (SocketException reset) {
      // An end, too.
    }
  }

  @ParameterizedTest
  @EnumSource
  void theCounterGoesOn(Carrier carrier) throws Exception {
    try (Server server = carrier.start(shared -> second(new CounterProtocol(shared), Set.of(1)));
        TextClient well = new TextClient(server.address())) {
      assertEquals("1", well.send("+\n").line());
      try (TextClient dropped = new TextClient(server.address())) {
        assertEnded(dropped.send("+\n"));
      }
      assertEquals("3", well.send("+\n").line());
    }
  }

  /** What the guest "evil" does when the room fails, and what its friend hears of it. */
  private enum Doing {
    COMING("evil\n", Set.of(1), ""),
    ASKING("evil\n/who\n", Set.of(3), "* evil has come, 2 here\n* evil has gone\n"),
    /** Neither what it says itself reaches it, nor that all have heard it. */
    SPEAKING(
        "evil\nI was here\n",
        Set.of(3, 4),
        "* evil has come, 2 here\nevil: I was here\n* evil has gone\n");

    private final String says;
    private final Set<Integer> when;
    private final String heard;

    Doing(String says, Set<Integer> when, String heard) {
      this.says = says;
      this.when = when;
      this.heard = heard;
    }
  }

  static Stream<Arguments> rooms() {
    return Stream.of(Doing.values())
        .flatMap(doing -> Stream.of(Carrier.values()).map(on -> Arguments.of(doing, on)));
  }

  @ParameterizedTest
  @MethodSource("rooms")
  void theRoomGoesOn(Doing doing, Carrier carrier) throws Exception {
    try (Server server = carrier.start(shared -> second(new ChatProtocol(shared), doing.when));
        TextClient friend = new TextClient(server.address())) {
      assertEquals("* friend has come, 1 here", friend.send("friend\n").line());
      try (TextClient dropped = new TextClient(server.address())) {
        dropped.send(doing.says);
        for (String line : doing.heard.lines().toList()) {
          assertEquals(line, friend.line());
        }
        if (doing != Doing.COMING) {
          assertEquals("* evil has come, 2 here", dropped.line());
        }
        assertEnded(dropped);
      }
      try (TextClient other = new TextClient(server.address())) {
        assertEquals("* evil has come, 2 here", other.send("evil\n").line());
        assertEquals("* evil has come, 2 here", friend.line());
        assertEquals("* here: evil, friend", friend.send("/who\n").line());
      }
    }
  }
}
