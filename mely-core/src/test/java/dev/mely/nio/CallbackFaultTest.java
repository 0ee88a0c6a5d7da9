package dev.mely.nio;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.LogTap;
import dev.mely.Mely;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Channels and results that throw an {@link Error} where a failure of the network is expected. */
@Timeout(300)
class CallbackFaultTest {
  private final List<Throwable> told = Collections.synchronizedList(new ArrayList<>());
  private final MonitorSelector selector = new MonitorSelector();
  private final SelectorPoller poller = new SelectorPoller(0, selector);
  private final Mely mely =
      Mely.builder()
          .cores(1)
          .pinned(false)
          .pollers(core -> poller)
          .errorHandler((color, event, error) -> told.add(error))
          .build();

  @AfterEach
  void end() {
    mely.close();
  }

  /** The connection has come about, and there is no memory to say so. */
  @Test
  void connectionThatEndsWithAnErrorIsAFailure() throws Exception {
    Error planned = new OutOfMemoryError("planned");
    MonitorChannel channel = new FailingConnection(selector, planned);
    Color color = mely.newColor();
    List<Throwable> got = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch ended = new CountDownLatch(1);
    Handler<Operation<SocketChannel>> handler =
        Handler.of(
            done -> {
              got.add(assertThrows(OutOfMemoryError.class, done::get));
              ended.countDown();
            });
    new Connect(mely, color, handler, channel, poller.register(channel))
        .start(new InetSocketAddress(1));
    channel.accepted();
    ended.await();
    assertSame(planned, got.get(0));
    assertFalse(channel.isOpen());
    assertEquals(List.of(), told);
  }

  /** No direct memory for what is to be written: as if the channel had failed. */
  @Test
  void outputThatThrowsAnErrorHasFailed() throws Exception {
    Error planned = new OutOfMemoryError("planned");
    Output output = new Output(new FailingChannel(planned), () -> {});
    output.write(ByteBuffer.allocate(9));
    IOException first = assertThrows(IOException.class, output::flush);
    assertSame(planned, first.getCause());
    assertEquals(0, output.pending());
    assertSame(first, assertThrows(IOException.class, output::flush));
  }

  /** Memory had run out as its event was to be queued: it is told later, and once. */
  @Test
  void resultWhoseEventIsRejectedIsToldAllTheSame() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    CountDownLatch ended = new CountDownLatch(1);
    Color color = mely.newColor();
    Handler<Operation<String>> handler =
        Handler.of(
            done -> {
              calls.incrementAndGet();
              ended.countDown();
            });
    StartedOperation<String> operation = new StartedOperation<>(mely, color, handler);
    mely.execute(
        color,
        () -> {
          operation.complete("result"); // waits for this handler
          operation.rejected();
        });
    ended.await();
    CountDownLatch later = new CountDownLatch(1);
    mely.schedule(color, Handler.of(e -> later.countDown()), "event", Duration.ofMillis(2));
    later.await();
    assertEquals(1, calls.get());
    assertEquals("result", operation.get());
  }

  /** No handler will see it, and nobody else knows of it. */
  @Test
  void resultThatComesAfterTheEndIsClosed() {
    StartedOperation<Closeable> operation =
        new StartedOperation<>(mely, mely.newColor(), Handler.of(e -> {}));
    mely.close();
    CountDownLatch closed = new CountDownLatch(1);
    operation.complete(closed::countDown);
    assertEquals(0, closed.getCount());
  }

  /** The failure is not reported: the thread that cancels is not at fault. */
  @Test
  void resultThatCannotBeClosedHarmsNobody() {
    StartedOperation<Stubborn> operation =
        new StartedOperation<>(mely, mely.newColor(), Handler.of(e -> {}));
    try (LogTap log = new LogTap("dev.mely.nio")) {
      assertTrue(operation.cancel());
      operation.complete(new Stubborn());
      assertEquals(1, log.warnings().size(), () -> log.warnings().toString());
      assertTrue(log.warnings().get(0).contains("Stubborn"), () -> log.warnings().toString());
    }
  }

  /** One channel that cannot be closed keeps neither the selector nor its memory. */
  @Test
  void channelThatCannotBeClosedKeepsNothingElseOpen() throws Exception {
    poller.register(new FailingConnection(selector, new OutOfMemoryError("planned")));
    try (LogTap log = new LogTap("dev.mely.nio")) {
      poller.close();
      assertFalse(selector.isOpen());
      assertEquals(1, log.warnings().size(), () -> log.warnings().toString());
    }
  }

  /** Fails when the connection has come about, and when it is closed. */
  private static final class FailingConnection extends MonitorChannel {
    private final Error planned;

    FailingConnection(MonitorSelector selector, Error planned) throws IOException {
      super(selector);
      this.planned = planned;
    }

    @Override
    public synchronized boolean finishConnect() throws IOException {
      super.finishConnect();
      throw planned;
    }

    @Override
    protected void implCloseSelectableChannel() {
      throw planned;
    }
  }

  private record FailingChannel(Error planned) implements GatheringByteChannel {
    @Override
    public int write(ByteBuffer source) {
      throw planned;
    }

    @Override
    public long write(ByteBuffer[] sources) {
      throw planned;
    }

    @Override
    public long write(ByteBuffer[] sources, int offset, int length) {
      throw planned;
    }

    @Override
    public boolean isOpen() {
      return true;
    }

    @Override
    public void close() {}
  }

  /** A result that can neither be closed nor named. */
  private static final class Stubborn implements Closeable {
    @Override
    public void close() {
      throw new AssertionError("planned");
    }

    @Override
    public String toString() {
      throw new AssertionError("planned");
    }
  }
}
