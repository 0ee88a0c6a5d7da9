package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Migrating;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Connections, lookups, file reads and other calls: each ends once, in its color. */
@Timeout(300)
class OperationTest {
  private static final long SEED = 5;

  // ---- Connections

  @Test
  void connects() throws Exception {
    try (Rig rig = new Rig(2);
        ServerSocketChannel server = Rig.listen()) {
      server.configureBlocking(true);
      Results<SocketChannel> results = new Results<>(rig);
      Operation<SocketChannel> operation =
          rig.nio.connect(server.getLocalAddress(), results.color, results.handler);
      try (SocketChannel accepted = server.accept();
          SocketChannel connected = results.next().get()) {
        assertTrue(operation.isDone());
        assertFalse(operation.cancel());
        assertFalse(connected.isBlocking());
        connected.write(ByteBuffer.wrap(new byte[] {3}));
        assertEquals(1, accepted.read(ByteBuffer.allocate(1)));
      }
    }
  }

  @Test
  void connectsUnixDomainSockets(@TempDir Path folder) throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("socket"));
    try (Rig rig = new Rig(2);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(address);
      Results<SocketChannel> results = new Results<>(rig);
      rig.nio.connect(address, results.color, results.handler);
      results.next().get().close();
    }
  }

  @Test
  void refusedConnectionIsAFailure() throws Exception {
    try (Rig rig = new Rig(2);
        SocketChannel deaf = Rig.deaf()) {
      Results<SocketChannel> results = new Results<>(rig);
      var address = deaf.getLocalAddress();
      long before = Rig.descriptors();
      for (int i = 0; i < 20; i++) {
        rig.nio.connect(address, results.color, results.handler);
        Operation<SocketChannel> failed = results.next();
        assertThrows(ConnectException.class, failed::get);
        assertTrue(failed.isDone());
      }
      await().until(() -> Rig.descriptors() <= before);
    }
  }

  /** A failure that the handler does not look at goes to the error handler. */
  @Test
  void failureIsNotSilent() throws Exception {
    Rig rig = new Rig(1);
    try (SocketChannel deaf = Rig.deaf()) {
      Handler<Operation<SocketChannel>> get = Handler.of(Operation::get);
      rig.nio.connect(deaf.getLocalAddress(), rig.mely().newColor(), get);
      await().until(() -> rig.errors.size() == 1);
    }
    assertInstanceOf(ConnectException.class, rig.errors.peek());
    rig.nio.close();
  }

  @Test
  void wrongAddressesAreRefusedAtOnce() throws Exception {
    try (Rig rig = new Rig(1);
        SocketChannel blocking = SocketChannel.open()) {
      Results<SocketChannel> results = new Results<>(rig);
      long before = Rig.descriptors();
      var unresolved = InetSocketAddress.createUnresolved("host", 1);
      assertThrows(
          UnresolvedAddressException.class,
          () -> rig.nio.connect(unresolved, results.color, results.handler));
      await().until(() -> Rig.descriptors() <= before);
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
      assertThrows(
          IllegalArgumentException.class,
          () -> rig.nio.connect(blocking, address, results.color, results.handler));
      assertTrue(blocking.isOpen());
      SocketChannel closed = SocketChannel.open();
      closed.close();
      assertThrows(
          ClosedChannelException.class,
          () -> rig.nio.connect(closed, address, results.color, results.handler));
    }
  }

  @Test
  void aChannelThatWasGivenAWrongAddressCanStillConnect() throws Exception {
    try (Rig rig = new Rig(1);
        ServerSocketChannel server = Rig.listen();
        SocketChannel channel = SocketChannel.open()) {
      channel.configureBlocking(false);
      Results<SocketChannel> results = new Results<>(rig);
      var unresolved = InetSocketAddress.createUnresolved("host", 1);
      assertThrows(
          UnresolvedAddressException.class,
          () -> rig.nio.connect(channel, unresolved, results.color, results.handler));
      rig.nio.connect(channel, server.getLocalAddress(), results.color, results.handler);
      assertTrue(results.next().get().isConnected());
    }
  }

  /** Whenever it is cancelled: either the handler gets the channel, or it is closed. */
  @Test
  void cancelledConnectionIsClosed() throws Exception {
    try (Rig rig = new Rig(3, b -> Migrating.on(b, SEED));
        ServerSocketChannel server = Rig.listen()) {
      Results<SocketChannel> results = new Results<>(rig);
      SplittableRandom random = new SplittableRandom(SEED);
      long before = Rig.descriptors();
      int kept = 0;
      for (int i = 0; i < 500; i++) {
        Operation<SocketChannel> operation =
            rig.nio.connect(server.getLocalAddress(), results.color, results.handler);
        for (int n = random.nextInt(50); n > 0; n--) {
          Thread.onSpinWait();
        }
        if (operation.cancel()) {
          assertTrue(operation.isDone());
          assertThrows(CancellationException.class, operation::get);
        } else {
          kept++;
        }
        SocketChannel accepted = server.accept();
        if (accepted != null) {
          accepted.close();
        }
      }
      for (int i = 0; i < kept; i++) {
        rig.nio.close(results.next().get());
      }
      for (SocketChannel late = server.accept(); late != null; late = server.accept()) {
        late.close();
      }
      await().until(() -> Rig.descriptors() <= before);
      assertTrue(results.queue.isEmpty());
    }
  }

  // ---- Lookups

  @Test
  void looksUpNames() throws Exception {
    try (Rig rig = new Rig(2)) {
      Results<List<InetAddress>> results = new Results<>(rig);
      rig.nio.lookup("localhost", results.color, results.handler);
      assertTrue(results.next().get().stream().allMatch(InetAddress::isLoopbackAddress));
      rig.nio.lookup("127.0.0.7", results.color, results.handler);
      assertEquals(List.of(InetAddress.getByName("127.0.0.7")), results.next().get());
      rig.nio.lookup("not a host name", results.color, results.handler);
      assertThrows(UnknownHostException.class, results.next()::get);
    }
  }

  // ---- Files

  /** In pieces, all under way at once, out of order: byte for byte the same. */
  @Test
  void readsFiles(@TempDir Path folder) throws Exception {
    byte[] content = new byte[1_000_003];
    new SplittableRandom(SEED).nextBytes(content);
    Path file = Files.write(folder.resolve("file"), content);
    try (Rig rig = new Rig(2);
        FileChannel channel = FileChannel.open(file)) {
      Results<Integer> results = new Results<>(rig);
      int piece = 10_007;
      byte[] read = new byte[content.length];
      int pieces = 0;
      for (int at = 0; at < read.length; at += piece, pieces++) {
        ByteBuffer target = ByteBuffer.wrap(read, at, Math.min(piece, read.length - at));
        rig.nio.read(channel, target, at, results.color, results.handler);
      }
      int total = 0;
      for (int i = 0; i < pieces; i++) {
        total += results.next().get();
      }
      assertEquals(content.length, total);
      assertArrayEquals(content, read);

      rig.nio.read(channel, ByteBuffer.allocate(1), read.length, results.color, results.handler);
      assertEquals(-1, results.next().get());
    }
  }

  @Test
  void wrongReadsAreRefused(@TempDir Path folder) throws Exception {
    Path file = Files.write(folder.resolve("file"), new byte[10]);
    try (Rig rig = new Rig(1)) {
      FileChannel writing = FileChannel.open(file, StandardOpenOption.WRITE);
      Results<Integer> results = new Results<>(rig);
      ByteBuffer buffer = ByteBuffer.allocate(10);
      assertThrows(
          IllegalArgumentException.class,
          () -> rig.nio.read(writing, buffer, -1, results.color, results.handler));
      assertThrows(
          IllegalArgumentException.class,
          () ->
              rig.nio.read(writing, buffer.asReadOnlyBuffer(), 0, results.color, results.handler));
      rig.nio.read(writing, buffer, 0, results.color, results.handler);
      assertThrows(NonReadableChannelException.class, results.next()::get);
      writing.close();
      assertThrows(
          ClosedChannelException.class,
          () -> rig.nio.read(writing, buffer, 0, results.color, results.handler));
    }
  }

  // ---- Calls

  @Test
  void callsReturnOrThrow(@TempDir Path folder) throws Exception {
    try (Rig rig = new Rig(2)) {
      Results<Object> results = new Results<>(rig);
      rig.nio.call(() -> "result", results.color, results.handler);
      assertEquals("result", results.next().get());
      rig.nio.call(() -> null, results.color, results.handler);
      assertEquals(null, results.next().get());
      rig.nio.call(() -> FileChannel.open(folder.resolve("none")), results.color, results.handler);
      assertThrows(NoSuchFileException.class, results.next()::get);
      rig.nio.call(
          () -> {
            throw new AssertionError("planted");
          },
          results.color,
          results.handler);
      assertThrows(AssertionError.class, results.next()::get);
      rig.nio.call(
          () -> {
            throw new InterruptedException("planted");
          },
          results.color,
          results.handler);
      assertInstanceOf(
          InterruptedException.class,
          assertThrows(IOException.class, results.next()::get).getCause());
    }
  }

  /** Results come in the color, one at a time, while the color's other events go on. */
  @Test
  void resultsAreEventsOfTheColor() throws Exception {
    try (Rig rig = new Rig(3, b -> Migrating.on(b, SEED))) {
      Color color = rig.mely().newColor();
      int[] plain = {0};
      CountDownLatch done = new CountDownLatch(2_000);
      Handler<Object> count =
          Handler.of(
              e -> {
                assertTrue(color.isCurrent());
                plain[0]++;
                done.countDown();
              });
      for (int i = 0; i < 1_000; i++) {
        rig.nio.call(() -> "result", color, count);
        rig.mely().register(color, count, "event");
      }
      done.await();
      assertEquals(2_000, plain[0]);
    }
  }

  @Test
  void operationThatRunsHasNoResult() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Rig rig = new Rig(1)) {
      Results<Object> results = new Results<>(rig);
      Operation<Object> operation =
          rig.nio.call(
              () -> {
                go.await();
                return 1;
              },
              results.color,
              results.handler);
      assertFalse(operation.isDone());
      assertThrows(IllegalStateException.class, operation::get);
      go.countDown();
      assertEquals(1, results.next().get());
    } finally {
      go.countDown();
    }
  }

  /** Cancelled before, while or after the call is made: its resource is closed, if it was made. */
  @Test
  void cancelledCallLeavesNothingOpen() throws Exception {
    try (Rig rig = new Rig(3)) {
      AtomicInteger opened = new AtomicInteger();
      AtomicInteger closed = new AtomicInteger();
      Closeable resource = closed::incrementAndGet;
      Handler<Operation<Closeable>> use = Handler.of(done -> done.get().close());
      SplittableRandom random = new SplittableRandom(SEED);
      for (int i = 0; i < 1_000; i++) {
        Operation<Closeable> operation =
            rig.nio.call(
                () -> {
                  opened.incrementAndGet();
                  return resource;
                },
                rig.mely().newColor(),
                use);
        for (int n = random.nextInt(200); n > 0; n--) {
          Thread.onSpinWait();
        }
        operation.cancel();
      }
      CountDownLatch last = new CountDownLatch(Helpers.THREADS);
      for (int i = 0; i < Helpers.THREADS; i++) {
        rig.nio.call(
            () -> {
              last.countDown();
              last.await();
              return 1;
            },
            rig.mely().newColor(),
            Handler.of(e -> {}));
      }
      last.await();
      await().until(() -> closed.get() == opened.get());
    }
  }

  /** The queue is bounded: who comes too late is told so, as of any other failure. */
  @Test
  void tooManyCallsFail() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    try (Rig rig = new Rig(1)) {
      Results<Object> results = new Results<>(rig);
      int accepted = Helpers.THREADS + Helpers.WAITING;
      for (int i = 0; i < Helpers.THREADS; i++) {
        CountDownLatch started = new CountDownLatch(1);
        rig.nio.call(
            () -> {
              started.countDown();
              go.await();
              return "result";
            },
            results.color,
            results.handler);
        started.await();
      }
      for (int i = 0; i < Helpers.WAITING + 10; i++) {
        rig.nio.call(() -> "result", results.color, results.handler);
      }
      for (int i = 0; i < 10; i++) {
        IOException why = assertThrows(IOException.class, results.next()::get);
        assertTrue(why.getMessage().contains("1024 are waiting"), why::toString);
      }
      go.countDown();
      for (int i = 0; i < accepted; i++) {
        assertEquals("result", results.next().get());
      }
    } finally {
      go.countDown();
    }
  }

  @Test
  void refusedAfterShutdown() throws Exception {
    Rig rig = new Rig(1);
    Results<Object> results = new Results<>(rig);
    rig.close();
    assertThrows(
        RejectedExecutionException.class,
        () -> rig.nio.call(() -> 1, results.color, results.handler));
  }

  /** What the handlers were given. */
  private static final class Results<T> {
    final LinkedBlockingQueue<Operation<T>> queue = new LinkedBlockingQueue<>();
    final Color color;
    final Handler<Operation<T>> handler = Handler.of(queue::add);

    Results(Rig rig) {
      color = rig.mely().newColor();
    }

    Operation<T> next() throws InterruptedException {
      return queue.take();
    }
  }
}
