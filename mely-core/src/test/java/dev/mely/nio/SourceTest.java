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
import dev.mely.StealPolicy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NotYetBoundException;
import java.nio.channels.Pipe;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a source promises, on pipes and datagrams. */
@Timeout(60)
class SourceTest {
  private static final long SEED = 77;

  private Pipe pipe;
  private Pipe.SourceChannel in;
  private Pipe.SinkChannel out;

  @BeforeEach
  void open() throws IOException {
    pipe = Pipe.open();
    in = pipe.source();
    out = pipe.sink();
    in.configureBlocking(false);
  }

  @AfterEach
  void close() throws IOException {
    in.close();
    out.close();
  }

  // ---- Events

  @Test
  void startsPaused() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      Color color = rig.mely().newColor();
      Source source = rig.nio.readable(in, color, Handler.of(e -> take(in, events)), "event");
      write(1);
      pollAtLeastOnce(rig, color);
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
                take(in, events);
                inside.decrementAndGet();
              });
      write(100);
      rig.nio.readable(in, rig.mely().newColor(), readOne, "event").resume();
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
                take(in, new AtomicInteger());
              });
      rig.nio.readable(in, rig.mely().newColor(), handler, event).resume();
      write(1);
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
      source.set(rig.nio.readable(in, color, once, "event"));
      write(1);
      for (int i = 1; i <= 50; i++) {
        source.get().resume();
        int expected = i;
        await().until(() -> events.get() >= expected);
        pollAtLeastOnce(rig, color);
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
        source.set(rig.nio.readable(in, color, once, "event"));
        write(1);
        source.get().resume();
        int expected = i;
        await().until(() -> events.get() >= expected);
        source.get().resume();
        pollAtLeastOnce(rig, color);
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
              take(in, new AtomicInteger());
            });
    rig.nio.readable(in, rig.mely().newColor(), failing, "event").resume();
    write(1);
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
      source.set(rig.nio.readable(in, rig.mely().newColor(), failing, "event"));
      source.get().resume();
      write(1);
      await().until(() -> event.get() == source.get());
      assertTrue(event.get().toString().startsWith("readable "), event.get()::toString);
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

  // ---- Races

  /**
   * Paused and resumed by several threads at any moment, and run on any core: what is written is
   * read, to the last byte, or this hangs.
   */
  @Test
  void noEventIsLostBetweenPauseAndResume() throws Exception {
    try (Rig rig = new Rig(3, b -> b.randomMigration(SEED))) {
      AtomicInteger bytes = new AtomicInteger();
      Color color = rig.mely().newColor();
      Source source =
          rig.nio.readable(in, color, Handler.of(e -> take(in, bytes)), "event").resume();
      Thread[] togglers = new Thread[2];
      for (int t = 0; t < togglers.length; t++) {
        SplittableRandom random = new SplittableRandom(SEED + t);
        togglers[t] =
            new Thread(
                () -> {
                  for (int i = 0; i < 20_000; i++) {
                    source.pause();
                    if (random.nextInt(8) == 0) {
                      Thread.yield();
                    }
                    source.resume();
                  }
                });
        togglers[t].start();
      }
      int written = 0;
      while (togglers[0].isAlive() || togglers[1].isAlive()) {
        write(1);
        written++;
        int expected = written;
        if (written % 64 == 0) {
          await().until(() -> bytes.get() == expected);
        }
      }
      int expected = written;
      await().until(() -> bytes.get() == expected);
    }
  }

  /** Cancelled while its event is posted, run or re-armed, and replaced at once. */
  @Test
  void noEventIsLostWhenSourcesAreReplaced() throws Exception {
    try (Rig rig = new Rig(3, b -> b.randomMigration(SEED))) {
      AtomicInteger bytes = new AtomicInteger();
      Color color = rig.mely().newColor();
      Handler<String> take = Handler.of(e -> take(in, bytes));
      for (int i = 1; i <= 2_000; i++) {
        Source source = rig.nio.readable(in, color, take, "event").resume();
        write(1);
        if (i % 3 == 0) {
          Thread.yield();
        }
        source.cancel();
        if (i % 100 == 0) {
          Source last = rig.nio.readable(in, color, take, "event").resume();
          int expected = i;
          await().until(() -> bytes.get() == expected);
          last.cancel();
        }
      }
    }
  }

  /** No room for another event: the input stays in the pipe, and results are let in. */
  @Test
  void fullRuntimeLosesNothing() throws Exception {
    try (Rig rig = new Rig(2, b -> b.maxPending(2).maxPendingPerColor(2))) {
      AtomicInteger bytes = new AtomicInteger();
      AtomicInteger results = new AtomicInteger();
      Color color = rig.mely().newColor();
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      Handler<String> wait =
          Handler.of(
              e -> {
                started.countDown();
                go.await();
              });
      rig.nio.readable(in, color, Handler.of(e -> take(in, bytes)), "event").resume();
      rig.mely().register(color, wait, "busy");
      started.await();
      while (true) {
        try {
          rig.mely().register(color, Handler.of(e -> {}), "fills it up");
        } catch (RejectedExecutionException full) {
          break;
        }
      }
      write(10);
      for (int i = 0; i < 10; i++) {
        rig.nio.call(() -> 1, color, Handler.of(done -> results.addAndGet(done.get())));
      }
      // The last one above, the results, and the source.
      await().until(() -> rig.mely().statistics().refused() == 12);
      assertEquals(0, bytes.get());
      go.countDown();
      await().until(() -> bytes.get() == 10 && results.get() == 10);
    }
  }

  // ---- Closing

  /** A handler on another core closes the channel while the home core's selector sleeps. */
  @Test
  void channelClosedWhereItsColorRunsIsGivenUp() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")))) {
      long before = Rig.descriptors();
      for (int i = 0; i < 20; i++) {
        DatagramChannel channel = DatagramChannel.open();
        channel.configureBlocking(false);
        rig.nio.readable(channel, rig.mely().newColor(0), Handler.of(e -> {}), "home is core 0");
        Handler<DatagramChannel> close = Handler.of(DatagramChannel::close);
        rig.nio.writable(channel, rig.mely().newPinnedColor(1), close, channel).resume();
      }
      await().until(() -> Rig.descriptors() <= before);
    }
  }

  @Test
  void closeWakesTheSelectorThatSleeps() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")))) {
      long before = Rig.descriptors();
      for (int i = 0; i < 20; i++) {
        DatagramChannel channel = DatagramChannel.open();
        channel.configureBlocking(false);
        Color color = rig.mely().newColor(i % 2);
        Source source = rig.nio.readable(channel, color, Handler.of(e -> {}), "event").resume();
        pollAtLeastOnce(rig, color);
        rig.nio.close(channel);
        rig.nio.close(channel);
        assertTrue(source.isCancelled());
        await().until(() -> Rig.descriptors() <= before);
      }
    }
  }

  /** The event waits for its color while the channel is closed: the handler is spared. */
  @Test
  void eventOfAClosedChannelDoesNotRun() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      Color color = rig.mely().newColor(0);
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      rig.nio.readable(in, color, Handler.of(e -> events.incrementAndGet()), "event").resume();
      rig.mely()
          .register(
              color,
              Handler.of(
                  e -> {
                    started.countDown();
                    go.await();
                  }),
              "busy");
      started.await();
      write(1);
      // The other core polls for the one that is stuck, and posts.
      await().until(() -> rig.mely().statistics().total().polls() > 0);
      rig.nio.close(in);
      go.countDown();
      pollAtLeastOnce(rig, color);
      assertEquals(0, events.get());
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
      out.configureBlocking(false);
      int length = 1 << 20;
      ByteBuffer sent = ByteBuffer.allocate(length);
      new SplittableRandom(SEED).nextBytes(sent.array());
      ByteBuffer got = ByteBuffer.allocate(length);
      CountDownLatch end = new CountDownLatch(1);
      Handler<ByteBuffer> send =
          Handler.of(
              buffer -> {
                out.write(buffer);
                if (!buffer.hasRemaining()) {
                  out.close();
                }
              });
      Handler<ByteBuffer> receive =
          Handler.of(
              buffer -> {
                if (in.read(buffer) < 0 || !buffer.hasRemaining()) {
                  in.close();
                  end.countDown();
                }
              });
      rig.nio.writable(out, rig.mely().newColor(), send, sent).resume();
      rig.nio.readable(in, rig.mely().newColor(), receive, got).resume();
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
          () -> nio.writable(in, color, nothing, "event"));
      nio.readable(in, color, nothing, "event");
      assertMessage(
          IllegalStateException.class,
          "already a source: readable",
          () -> nio.readable(in, color, nothing, "event"));
      assertThrows(NotYetBoundException.class, () -> nio.accept(unbound, color, nothing));
      in.close();
      assertThrows(ClosedChannelException.class, () -> nio.readable(in, color, nothing, "event"));
      assertThrows(NullPointerException.class, () -> nio.readable(in, null, nothing, "event"));
    }
  }

  @Test
  void refusesAfterShutdown() throws Exception {
    Rig rig = new Rig(1);
    Color color = rig.mely().newColor();
    rig.close();
    assertThrows(
        RejectedExecutionException.class,
        () -> rig.nio.readable(in, color, Handler.of(e -> {}), "event"));
  }

  @Test
  void builderIsNotUsedBehindItsBack() throws Exception {
    var builder = Mely.builder().cores(1).pinned(false);
    Nio.start(builder).close();
    assertMessage(IllegalStateException.class, "Nio.start", builder::build);
    Nio.start(builder).close();
  }

  private static void assertMessage(
      Class<? extends Exception> type,
      String part,
      org.junit.jupiter.api.function.Executable action) {
    Exception thrown = assertInstanceOf(type, assertThrows(Exception.class, action));
    assertTrue(thrown.getMessage().contains(part), thrown::toString);
  }

  private void write(int n) throws IOException {
    out.write(ByteBuffer.allocate(n));
  }

  private static void take(Pipe.SourceChannel channel, AtomicInteger bytes) throws IOException {
    int n = channel.read(ByteBuffer.allocate(1));
    if (n > 0) {
      bytes.addAndGet(n);
    }
  }

  /** Until the core has polled and what it has found has run. */
  private static void pollAtLeastOnce(Rig rig, Color color) throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      long polls = rig.mely().statistics().total().polls();
      CountDownLatch ran = new CountDownLatch(1);
      rig.mely().execute(color, ran::countDown);
      ran.await();
      await().until(() -> rig.mely().statistics().total().polls() > polls);
    }
    assertEquals(List.of(), List.copyOf(rig.errors));
  }
}
