package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.LogTap;
import dev.mely.Mely;
import dev.mely.report.ShutdownReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The shutdown, at any moment: leaves no channel open and no thread running. */
@Timeout(300)
class NioShutdownTest {
  @Test
  void closesWhatIsRegistered() throws Exception {
    Set<Thread> threads = threads();
    long before = Rig.descriptors();
    for (int round = 0; round < 5; round++) {
      Rig rig = new Rig(3);
      ServerSocketChannel server = Rig.listen();
      Echo echo = new Echo(rig.nio, server);
      List<SocketChannel> clients = new ArrayList<>();
      for (int i = 0; i < 30; i++) {
        clients.add(Rig.client(server));
        clients.get(i).write(ByteBuffer.allocate(1));
        assertEquals(1, clients.get(i).read(ByteBuffer.allocate(1)));
      }
      assertEquals(30, echo.open.get());
      rig.nio.signal("USR2", rig.mely().newColor(), Handler.of(e -> {}), "event").resume();
      assertEquals(
          new ShutdownReport(true, 0, 0, List.of()), rig.nio.shutdown(Duration.ofSeconds(30)));
      assertFalse(server.isOpen());
      for (SocketChannel client : clients) {
        assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        client.close();
      }
      rig.close();
    }
    await().until(() -> Rig.descriptors() <= before);
    await().until(() -> threads.containsAll(threads()));
  }

  /** As long as the builder says, and with a word about what was dropped. */
  @Test
  void closeWaitsAsLongAsTheBuilderSays() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    CountDownLatch started = new CountDownLatch(4); // as there are helpers
    try (LogTap log = new LogTap("dev.mely");
        LogTap nioLog = new LogTap("dev.mely.nio")) {
      Nio nio =
          Nio.start(
              Mely.builder()
                  .cores(1)
                  .pinned(false)
                  .reportBlockedAfter(Duration.ZERO) // or a slow machine has more to log
                  .closeTimeout(Duration.ZERO));
      Color color = nio.mely().newColor();
      CountDownLatch inHandler = new CountDownLatch(1);
      nio.mely()
          .execute(
              color,
              () -> {
                inHandler.countDown();
                try {
                  release.await(); // interrupted at the end
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      inHandler.await();
      nio.mely().execute(color, () -> {});
      for (int i = 0; i < 4; i++) {
        nio.call(
            () -> {
              started.countDown();
              release.await();
              return "";
            },
            color,
            Handler.of(e -> {}));
      }
      started.await();
      for (int i = 0; i < 3; i++) {
        nio.call(() -> "", color, Handler.of(e -> {}));
      }
      nio.call(() -> "", color, Handler.of(e -> {})).cancel();
      nio.close();
      assertEquals(1, log.warnings().size(), () -> log.warnings().toString());
      assertTrue(
          log.warnings().get(0).contains(" 1 events rejected"), () -> log.warnings().toString());
      assertEquals(1, nioLog.warnings().size(), () -> nioLog.warnings().toString());
      assertTrue(nioLog.warnings().get(0).startsWith("3 calls"), nioLog.warnings()::toString);
    } finally {
      release.countDown();
    }
  }

  /** Under load, from all sides: the runtime comes to its end nonetheless, and in good order. */
  @Test
  void busyServerComesToItsEnd() throws Exception {
    Set<Thread> threads = threads();
    long before = Rig.descriptors();
    Rig rig = new Rig(2);
    ServerSocketChannel server = Rig.listen();
    Echo echo = new Echo(rig.nio, server);
    List<Thread> clients = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      clients.add(new Thread(() -> chatter(server)));
      clients.get(i).start();
    }
    await().until(() -> echo.accepted.get() > 20);
    ShutdownReport report = rig.nio.shutdown(Duration.ofSeconds(30));
    assertTrue(report.stuckCores().isEmpty(), report::toString);
    assertEquals(0, report.eventsLeft());
    for (Thread client : clients) {
      client.join();
    }
    await().until(() -> Rig.descriptors() <= before);
    await().until(() -> threads.containsAll(threads()));
    // Who was accepted at the last moment could not be registered any more.
    rig.errors.removeIf(e -> e instanceof RejectedExecutionException);
    assertEquals(List.of(), List.copyOf(rig.errors));
  }

  /** Connects, and connects anew, until there is nobody any more. */
  private static void chatter(ServerSocketChannel server) {
    try {
      while (true) {
        try (SocketChannel client = Rig.client(server)) {
          for (int i = 0; i < 10; i++) {
            client.write(ByteBuffer.allocate(10));
            if (client.read(ByteBuffer.allocate(10)) < 0) {
              break;
            }
          }
        }
      }
    } catch (IOException e) {
      // The server has been closed.
    }
  }

  /** Pending handlers may still use their channels. */
  @Test
  void pendingHandlersRunBeforeChannelsClose() throws Exception {
    Rig rig = new Rig(1);
    try (ServerSocketChannel server = Rig.listen();
        SocketChannel client = Rig.client(server)) {
      SocketChannel channel = server.accept();
      channel.configureBlocking(false);
      Color color = rig.mely().newColor();
      rig.nio.readable(channel, color, Handler.of(e -> {}), "event").resume();
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      rig.mely()
          .register(
              color,
              Handler.of(
                  e -> {
                    started.countDown();
                    go.await();
                  }),
              "busy");
      Handler<Object> write = Handler.of(e -> channel.write(ByteBuffer.allocate(1)));
      for (int i = 0; i < 10; i++) {
        rig.mely().register(color, write, i);
      }
      started.await();
      Thread closer = new Thread(rig::close);
      closer.start();
      await().until(rig.mely()::isShutdown);
      go.countDown();
      closer.join();
      ByteBuffer in = ByteBuffer.allocate(20);
      while (client.read(in) >= 0) {
        // To the end.
      }
      assertEquals(10, in.position());
    }
  }

  /** A handler does not return: its core's channels are closed under it. */
  @Test
  void stuckCoreKeepsNothingOpen() throws Exception {
    long before = Rig.descriptors();
    Set<Thread> threads = threads();
    CountDownLatch go = new CountDownLatch(1);
    Rig rig = new Rig(2, b -> b.reportBlockedAfter(Duration.ZERO));
    try (ServerSocketChannel server = Rig.listen();
        SocketChannel client = Rig.client(server)) {
      SocketChannel channel = server.accept();
      channel.configureBlocking(false);
      CountDownLatch started = new CountDownLatch(1);
      Handler<Object> stuck =
          Handler.of(
              e -> {
                started.countDown();
                while (go.getCount() > 0) {
                  try {
                    go.await();
                  } catch (InterruptedException ignored) {
                    // That is what being stuck means.
                  }
                }
              });
      rig.nio.readable(channel, rig.mely().newPinnedColor(0), stuck, "event").resume();
      client.write(ByteBuffer.allocate(1));
      started.await();
      ShutdownReport report = rig.nio.shutdown(Duration.ZERO);
      assertTrue(report.stuckCores().contains(0), report::toString);
      assertFalse(channel.isOpen());
      assertEquals(-1, client.read(ByteBuffer.allocate(1)));
    } finally {
      go.countDown();
    }
    await().until(() -> Rig.descriptors() <= before);
    await().until(() -> threads.containsAll(threads()));
  }

  /** Closing the runtime itself closes the channels, too. */
  @Test
  void closingTheRuntimeClosesTheChannels() throws Exception {
    Rig rig = new Rig(2);
    ServerSocketChannel server = Rig.listen();
    rig.nio.accept(server, rig.mely().newColor(), Handler.of(SocketChannel::close)).resume();
    rig.mely().close();
    assertFalse(server.isOpen());
    rig.close();
  }

  @Test
  void mustNotBeCalledFromAHandler() throws Exception {
    try (Rig rig = new Rig(1)) {
      AtomicReference<Exception> thrown = new AtomicReference<>();
      CountDownLatch done = new CountDownLatch(1);
      rig.mely()
          .execute(
              rig.mely().color(0),
              () -> {
                try {
                  rig.nio.close();
                } catch (IllegalStateException e) {
                  thrown.set(e);
                }
                done.countDown();
              });
      done.await();
      assertTrue(thrown.get().getMessage().contains("wait for the handler"));
      assertFalse(rig.mely().isShutdown());
    }
  }

  /** Not enough descriptors, or a builder that refuses: nothing is left behind. */
  @Test
  void failedStartLeavesNothingOpen() {
    long before = Rig.descriptors();
    Set<Thread> threads = threads();
    assertThrows(
        IllegalStateException.class,
        () ->
            Nio.start(
                Mely.builder()
                    .cores(4)
                    .threadFactory(
                        task -> {
                          throw new IllegalStateException("planted");
                        })));
    assertEquals(before, Rig.descriptors());
    await().until(() -> threads.containsAll(threads()));
  }

  /** A handler that has registered the connection before it throws. */
  @Test
  void refusedConnectionIsGivenUp() throws Exception {
    Rig rig = new Rig(2);
    try (ServerSocketChannel server = Rig.listen()) {
      Handler<SocketChannel> failing =
          Handler.of(
              client -> {
                rig.nio.readable(client, rig.mely().newColor(1), Handler.of(e -> {}), client);
                throw new UncheckedIOException(new IOException("planted"));
              });
      rig.nio.accept(server, rig.mely().newPinnedColor(0), failing).resume();
      await().until(() -> rig.mely().inspect().statistics().total().polls() > 0);
      long before = Rig.descriptors();
      for (int i = 0; i < 10; i++) {
        try (SocketChannel client = Rig.client(server)) {
          assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
      }
      await().until(() -> Rig.descriptors() <= before);
      assertEquals(10, rig.errors.size());
    }
    rig.nio.close();
  }

  private static Set<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(Thread::isAlive)
        .filter(t -> t.getName().startsWith("mely-"))
        .collect(Collectors.toSet());
  }
}
