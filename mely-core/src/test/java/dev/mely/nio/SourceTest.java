package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a source promises, on pipes and datagrams, one thing at a time. */
@Timeout(300)
class SourceTest {
  private static final long SEED = 77;

  @AutoClose private final TestPipe pipe = new TestPipe();

  // ---- Events

  @Test
  void startsPaused() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      Color color = rig.mely().newColor();
      Source source = rig.nio.readable(pipe.in, color, Handler.of(e -> pipe.take(events)), "event");
      pipe.write(1);
      rig.pollAtLeastOnce(color);
      assertEquals(0, events.get());
      assertSame(source, source.resume());
      await().until(() -> events.get() == 1);
    }
  }

  /** What is left unread is reported again, one event at a time. */
  @Test
  void unreadInputIsReportedAgain() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger inside = new AtomicInteger();
      AtomicInteger events = new AtomicInteger();
      Handler<String> readOne =
          Handler.of(
              e -> {
                assertEquals(0, inside.getAndIncrement());
                pipe.take(events);
                inside.decrementAndGet();
              });
      pipe.write(100);
      rig.nio.readable(pipe.in, rig.mely().newColor(), readOne, "event").resume();
      await().until(() -> events.get() == 100);
    }
  }

  @Test
  void givesTheHandlerItsEvent() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicReference<Object> given = new AtomicReference<>();
      Object event = new Object();
      Handler<Object> handler =
          Handler.of(
              e -> {
                given.set(e);
                pipe.take(new AtomicInteger());
              });
      rig.nio.readable(pipe.in, rig.mely().newColor(), handler, event).resume();
      pipe.write(1);
      await().until(() -> given.get() == event);
    }
  }

  @Test
  void pauseInTheColorHoldsAtOnce() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      AtomicReference<Source> source = new AtomicReference<>();
      Color color = rig.mely().newColor();
      Handler<String> once =
          Handler.of(
              e -> {
                events.incrementAndGet();
                source.get().pause();
              });
      source.set(rig.nio.readable(pipe.in, color, once, "event"));
      pipe.write(1);
      for (int i = 1; i <= 50; i++) {
        source.get().resume();
        int expected = i;
        await().until(() -> events.get() >= expected);
        rig.pollAtLeastOnce(color);
        assertEquals(i, events.get());
      }
    }
  }

  @Test
  void cancelledSourceIsSilentAndMayBeReplaced() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      AtomicReference<Source> source = new AtomicReference<>();
      Color color = rig.mely().newColor();
      Handler<String> once =
          Handler.of(
              e -> {
                events.incrementAndGet();
                assertTrue(source.get().cancel());
                assertFalse(source.get().cancel());
              });
      for (int i = 1; i <= 50; i++) {
        source.set(rig.nio.readable(pipe.in, color, once, "event"));
        pipe.write(1);
        source.get().resume();
        int expected = i;
        await().until(() -> events.get() >= expected);
        source.get().resume();
        rig.pollAtLeastOnce(color);
        assertEquals(i, events.get());
        assertTrue(source.get().isCancelled());
      }
    }
  }

  /** A handler that throws is called again for what it has left; each failure is reported. */
  @Test
  void failingHandlerIsCalledAgain() throws Exception {
    Rig rig = new Rig(2);
    AtomicInteger events = new AtomicInteger();
    Handler<String> failing =
        Handler.of(
            e -> {
              if (events.incrementAndGet() <= 3) {
                throw new AssertionError("planted");
              }
              pipe.take(new AtomicInteger());
            });
    rig.nio.readable(pipe.in, rig.mely().newColor(), failing, "event").resume();
    pipe.write(1);
    await().until(() -> events.get() == 4);
    rig.nio.close();
    assertEquals(3, rig.errors.size());
  }

  @Test
  void errorHandlerIsToldWhichSource() throws Exception {
    AtomicReference<Object> event = new AtomicReference<>();
    AtomicReference<Source> source = new AtomicReference<>();
    try (Rig rig = new Rig(1, b -> b.errorHandler((color, e, error) -> event.set(e)))) {
      Handler<String> failing =
          Handler.of(
              e -> {
                source.get().cancel();
                throw new IOException("planted");
              });
      source.set(rig.nio.readable(pipe.in, rig.mely().newColor(), failing, "event"));
      source.get().resume();
      pipe.write(1);
      await().until(() -> event.get() == source.get());
      assertTrue(event.get().toString().startsWith("readable "), event.get()::toString);
    }
  }

  /** There was no memory to queue the color: the source must not be in flight for ever. */
  @Test
  void sourceWhoseEventIsRejectedLooksAgain() throws Exception {
    try (Rig rig = new Rig(1)) {
      AtomicInteger looks = new AtomicInteger();
      CountDownLatch inFlight = new CountDownLatch(1);
      EventSource source =
          new EventSource(rig.mely(), rig.mely().newColor(), Handler.of(e -> {})) {
            @Override
            void serve() {
              hold(Duration.ofDays(1));
              inFlight.countDown();
            }

            @Override
            void arm() {
              looks.incrementAndGet();
            }

            @Override
            void disconnect() {}
          };
      source.resume();
      source.fire();
      inFlight.await();
      assertEquals(1, looks.get());
      source.notPosted();
      await().until(() -> looks.get() == 2);
    }
  }

  /** Both directions of a channel, in two colors, each with its own source. */
  @Test
  void channelMayHaveASourceOfEachKind() throws Exception {
    try (Rig rig = new Rig(2);
        ServerSocketChannel server = Rig.listen();
        SocketChannel client = Rig.client(server)) {
      SocketChannel channel = server.accept();
      channel.configureBlocking(false);
      CountDownLatch both = new CountDownLatch(2);
      AtomicReference<Source> reader = new AtomicReference<>();
      AtomicReference<Source> writer = new AtomicReference<>();
      Handler<AtomicReference<Source>> once =
          Handler.of(
              e -> {
                e.get().cancel();
                both.countDown();
              });
      reader.set(rig.nio.readable(channel, rig.mely().newColor(0), once, reader));
      writer.set(rig.nio.writable(channel, rig.mely().newColor(1), once, writer));
      client.write(ByteBuffer.allocate(1));
      reader.get().resume();
      writer.get().resume();
      both.await();
    }
  }

  // ---- Kinds of channels

  @Test
  void datagrams() throws Exception {
    try (Rig rig = new Rig(2);
        DatagramChannel server = DatagramChannel.open();
        DatagramChannel client = DatagramChannel.open()) {
      server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      server.configureBlocking(false);
      Handler<DatagramChannel> echo =
          Handler.of(
              channel -> {
                ByteBuffer buffer = ByteBuffer.allocate(64);
                var from = channel.receive(buffer);
                if (from != null) {
                  channel.send(buffer.flip(), from);
                }
              });
      rig.nio.readable(server, rig.mely().newColor(), echo, server).resume();
      client.connect(server.getLocalAddress());
      for (int i = 0; i < 100; i++) {
        client.write(ByteBuffer.wrap(new byte[] {(byte) i}));
        ByteBuffer answer = ByteBuffer.allocate(64);
        assertEquals(1, client.read(answer));
        assertEquals((byte) i, answer.get(0));
      }
    }
  }

  /** A pipe whose both ends are events. */
  @Test
  void pipeCarriesBytesBetweenColors() throws Exception {
    try (Rig rig = new Rig(2)) {
      pipe.out.configureBlocking(false);
      int length = 1 << 20;
      ByteBuffer sent = ByteBuffer.allocate(length);
      new SplittableRandom(SEED).nextBytes(sent.array());
      ByteBuffer got = ByteBuffer.allocate(length);
      CountDownLatch end = new CountDownLatch(1);
      Handler<ByteBuffer> send =
          Handler.of(
              buffer -> {
                pipe.out.write(buffer);
                if (!buffer.hasRemaining()) {
                  pipe.out.close();
                }
              });
      Handler<ByteBuffer> receive =
          Handler.of(
              buffer -> {
                if (pipe.in.read(buffer) < 0 || !buffer.hasRemaining()) {
                  pipe.in.close();
                  end.countDown();
                }
              });
      rig.nio.writable(pipe.out, rig.mely().newColor(), send, sent).resume();
      rig.nio.readable(pipe.in, rig.mely().newColor(), receive, got).resume();
      end.await();
      assertArrayEquals(sent.array(), got.array());
    }
  }

  // ---- Wrong arguments

  @Test
  void refusesWhatCannotWork() throws Exception {
    try (Rig rig = new Rig(1);
        ServerSocketChannel server = Rig.listen();
        ServerSocketChannel unbound = ServerSocketChannel.open();
        SocketChannel blocking = SocketChannel.open()) {
      Nio nio = rig.nio;
      Color color = rig.mely().newColor();
      Handler<Object> nothing = Handler.of(e -> {});
      assertMessage(
          IllegalArgumentException.class,
          "configureBlocking(false)",
          () -> nio.readable(blocking, color, nothing, "event"));
      assertMessage(
          IllegalArgumentException.class,
          "never readable",
          () -> nio.readable(server, color, nothing, "event"));
      assertMessage(
          IllegalArgumentException.class,
          "never writable",
          () -> nio.writable(pipe.in, color, nothing, "event"));
      nio.readable(pipe.in, color, nothing, "event");
      assertMessage(
          IllegalStateException.class,
          "already a source: readable",
          () -> nio.readable(pipe.in, color, nothing, "event"));
      assertThrows(NotYetBoundException.class, () -> nio.accept(unbound, color, nothing));
      pipe.in.close();
      assertThrows(
          ClosedChannelException.class, () -> nio.readable(pipe.in, color, nothing, "event"));
      assertThrows(NullPointerException.class, () -> nio.readable(pipe.in, null, nothing, "event"));
    }
  }

  @Test
  void refusesAfterShutdown() throws Exception {
    Rig rig = new Rig(1);
    Color color = rig.mely().newColor();
    rig.close();
    assertThrows(
        RejectedExecutionException.class,
        () -> rig.nio.readable(pipe.in, color, Handler.of(e -> {}), "event"));
  }

  @Test
  void theCallersBuilderStaysAsItWas() throws Exception {
    var builder = Mely.builder().cores(1).pinned(false);
    Nio.start(builder).close();
    CountDownLatch ran = new CountDownLatch(1);
    try (Mely parking = builder.build()) {
      parking.execute(parking.newColor(), ran::countDown);
      ran.await();
    }
    Nio.start(builder).close();
  }

  private static void assertMessage(
      Class<? extends Exception> type,
      String part,
      org.junit.jupiter.api.function.Executable action) {
    Exception thrown = assertInstanceOf(type, assertThrows(Exception.class, action));
    assertTrue(thrown.getMessage().contains(part), thrown::toString);
  }
}
