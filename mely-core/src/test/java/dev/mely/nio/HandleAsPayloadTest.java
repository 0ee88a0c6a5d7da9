package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sources and operations sent to other colors as messages: no harm is done to what they stand for.
 */
@Timeout(300)
class HandleAsPayloadTest {
  @AutoClose private final TestPipe pipe = new TestPipe();

  @Test
  void noHandleIsAnEvent() throws Exception {
    try (Rig rig = new Rig(1);
        var server = Rig.listen()) {
      Color color = rig.mely().newColor();
      Handler<Object> nothing = Handler.of(e -> {});
      Object[] handles = {
        rig.nio.readable(pipe.in, color, nothing, "event"),
        rig.nio.accept(server, color, nothing),
        rig.nio.signal("USR2", color, nothing, "event"),
        rig.nio.call(() -> 1, color, nothing),
        rig.nio.connect(server.getLocalAddress(), color, nothing)
      };
      for (Object handle : handles) {
        assertFalse(handle instanceof Event, handle::toString);
      }
    }
  }

  /** Sent around all the while, by several threads, and still it reports every byte. */
  @Test
  void sourceGoesOnWhileItIsAMessage() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger bytes = new AtomicInteger();
      AtomicInteger messages = new AtomicInteger();
      Color color = rig.mely().newColor();
      Source source =
          rig.nio.readable(pipe.in, color, Handler.of(e -> pipe.take(bytes)), "event").resume();
      Handler<Source> other =
          Handler.of(
              s -> {
                assertSame(source, s);
                messages.incrementAndGet();
              });
      for (int i = 1; i <= 200; i++) {
        rig.mely().register(color, other, source);
        pipe.write(1);
        rig.mely().register(rig.mely().newColor(), other, source);
        int expected = i;
        await().until(() -> bytes.get() == expected && messages.get() == 2 * expected);
      }
    }
  }

  /** The source's own handler may send it, too: it is in flight at that moment. */
  @Test
  void handlerMaySendItsOwnSource() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger bytes = new AtomicInteger();
      AtomicInteger messages = new AtomicInteger();
      AtomicReference<Source> source = new AtomicReference<>();
      Color color = rig.mely().newColor();
      Handler<Source> other = Handler.of(s -> messages.incrementAndGet());
      Handler<String> handler =
          Handler.of(
              e -> {
                pipe.take(bytes);
                rig.mely().register(color, other, source.get());
              });
      source.set(rig.nio.readable(pipe.in, color, handler, "event"));
      source.get().resume();
      pipe.write(50);
      await().until(() -> bytes.get() == 50 && messages.get() == 50);
    }
  }

  /** An error handler that registers what has failed once more, with a handler of its own. */
  @Test
  void retryingErrorHandlerDoesNotKillTheSource() throws Exception {
    AtomicReference<Mely> mely = new AtomicReference<>();
    LinkedBlockingQueue<Object> retried = new LinkedBlockingQueue<>();
    Handler<Object> retry = Handler.of(retried::add);
    try (Rig rig =
        new Rig(
            2,
            b ->
                b.errorHandler(
                    (color, event, error) -> mely.get().register(color, retry, event)))) {
      mely.set(rig.mely());
      AtomicInteger bytes = new AtomicInteger();
      Color color = rig.mely().newColor();
      Handler<String> failing =
          Handler.of(
              e -> {
                pipe.take(bytes);
                throw new AssertionError("planted");
              });
      Source source = rig.nio.readable(pipe.in, color, failing, "event").resume();
      pipe.write(100); // there is more to read while the error handler is called
      for (int i = 0; i < 100; i++) {
        assertSame(source, retried.take());
      }
      assertEquals(100, bytes.get());
      assertFalse(source.isCancelled());

      Operation<Integer> failed =
          rig.nio.call(
              () -> {
                throw new IOException("planted");
              },
              color,
              Handler.of(Operation::get));
      assertSame(failed, retried.take());
    }
  }

  @Test
  void operationMayBeSentBeforeAndAfterItsEnd() throws Exception {
    try (Rig rig = new Rig(2, b -> b.maxPending(1_000).maxPendingPerColor(1_000))) {
      LinkedBlockingQueue<Operation<Integer>> messages = new LinkedBlockingQueue<>();
      LinkedBlockingQueue<Operation<Integer>> results = new LinkedBlockingQueue<>();
      Handler<Operation<Integer>> message = Handler.of(messages::add);
      Handler<Operation<Integer>> result = Handler.of(results::add);
      Color color = rig.mely().newColor();
      for (int i = 0; i < 50; i++) {
        CountDownLatch go = new CountDownLatch(1);
        Operation<Integer> operation =
            rig.nio.call(
                () -> {
                  go.await();
                  return 1;
                },
                color,
                result);
        rig.mely().register(color, message, operation);
        rig.mely().schedule(color, message, operation, Duration.ZERO);
        assertSame(operation, messages.take());
        assertSame(operation, messages.take());
        go.countDown();
        rig.mely().register(color, message, operation);
        assertSame(operation, messages.take());
        assertSame(operation, results.take());
        assertEquals(1, operation.get());
      }
      assertTrue(results.isEmpty());
    }
  }
}
