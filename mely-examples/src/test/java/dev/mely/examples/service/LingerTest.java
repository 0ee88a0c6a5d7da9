package dev.mely.examples.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A server that has finished a connection waits for the client's end, but not forever. */
@Timeout(300)
class LingerTest {
  /** Answers the first input with a line, and finishes. */
  private record Farewell(Connection connection) implements Session {
    @Override
    public void received(ByteBuffer bytes) {
      connection.send(ByteBuffer.wrap("bye\n".getBytes(StandardCharsets.UTF_8)));
      connection.finish();
    }

    @Override
    public void ended() {
      connection.finish();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatStaysIsClosed(Carrier carrier) throws Exception {
    try (Server server = carrier.start(color -> Farewell::new);
        TextClient stays = new TextClient(server.address())) {
      assertEquals("bye", stays.send("hello\n").line());
      assertNull(stays.line());
      await().until(() -> server.clients().open() == 0);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aClientThatLeavesIsForgotten(Carrier carrier) throws Exception {
    try (Server server = carrier.start(color -> Farewell::new)) {
      for (int i = 0; i < 20; i++) {
        try (TextClient leaves = new TextClient(server.address())) {
          assertEquals("bye", leaves.send("hello\n").line());
        }
      }
      await().until(() -> server.clients().open() == 0);
      assertEquals(20, server.clients().served());
    }
  }
}
