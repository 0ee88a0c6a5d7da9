package dev.mely.examples.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.echo.EchoProtocol;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that neither sends nor reads makes room for others. */
@Timeout(300)
class IdleTimeoutTest {
  @ParameterizedTest
  @EnumSource
  void onlyTheIdleAreClosed(Carrier carrier) throws Exception {
    Duration timeout = Duration.ofSeconds(3);
    try (Server server = carrier.start(shared -> new EchoProtocol(), 3, 4096, timeout);
        TextClient busy = new TextClient(server.address());
        TextClient silent = new TextClient(server.address());
        TextClient deaf = new TextClient(server.address(), 4096)) {
      CompletableFuture<Void> floods =
          CompletableFuture.runAsync(
              () -> {
                byte[] much = new byte[64 * 1024];
                try {
                  while (true) {
                    deaf.send(much); // and takes nothing of what comes back
                  }
                } catch (IOException closed) {
                  // As it should be.
                }
              },
              task -> new Thread(task, "flood").start());
      CompletableFuture<String> ends =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return String.valueOf(silent.line());
                } catch (IOException reset) {
                  return reset.toString();
                }
              },
              task -> new Thread(task, "silent").start());
      while (!floods.isDone() || !ends.isDone()) {
        assertEquals("here", busy.send("here\n").line());
      }
      assertEquals("null", ends.get(120, TimeUnit.SECONDS));
      await().until(() -> server.clients().open() == 1);
      try (TextClient next = new TextClient(server.address())) {
        assertEquals("room", next.send("room\n").line());
      }
    }
  }

  @Test
  void idleIsWhatHasShownNothingNewInSoManyLooks() {
    Idleness idleness = new Idleness();
    long passed = 0;
    for (int i = 0; i < 10; i++) {
      assertFalse(idleness.isOver(passed++));
    }
    for (int i = 1; i < Idleness.LOOKS; i++) {
      assertFalse(idleness.isOver(passed - 1));
    }
    assertTrue(idleness.isOver(passed - 1));
  }
}
