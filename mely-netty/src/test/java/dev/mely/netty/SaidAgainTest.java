package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Handler;
import dev.mely.Mely.Timer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * No memory when an event for a loop is to be posted: the event does not count as posted, and the
 * next attempt succeeds.
 */
@Timeout(300)
class SaidAgainTest {
  private final CountDownLatch heard = new CountDownLatch(1);
  private MelyEventLoopGroup group;

  /** Has no memory for an event while it is poor. */
  private static final class PoorLoop extends ColorEventLoop {
    private volatile boolean poor;

    PoorLoop(ColorEventLoop like) {
      super(
          like.groupState(), like.poller(), like.transport(), like.groupState().mely().newColor(0));
    }

    @Override
    <E> void post(Handler<? super E> handler, E event) {
      pay();
      super.post(handler, event);
    }

    @Override
    <E> Timer postLater(Handler<? super E> handler, E event, Duration delay) {
      pay();
      return super.postLater(handler, event, delay);
    }

    private void pay() {
      if (poor) {
        throw new OutOfMemoryError("planted");
      }
    }

    void failsFor(Runnable saying) {
      poor = true;
      try {
        assertThrows(OutOfMemoryError.class, saying::run);
      } finally {
        poor = false;
      }
    }
  }

  private PoorLoop start(Io io) {
    group = io.builder().cores(2).build();
    return new PoorLoop((ColorEventLoop) group.next());
  }

  private void assertHeard() throws InterruptedException {
    assertTrue(heard.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS), "never heard of again");
  }

  @AfterEach
  void end() throws Exception {
    assertTrue(group.shutdownGracefully(0, 60, TimeUnit.SECONDS).await(120, TimeUnit.SECONDS));
  }

  @ParameterizedTest
  @EnumSource
  void aChannelIsToldToCloseAgain(Io io) throws Exception {
    PoorLoop loop = start(io);
    PipeHandle handle = PipeHandle.open(io, (h, event) -> h.read());
    Registration registration = (Registration) loop.register(handle).get();
    handle.onClose =
        () -> {
          registration.cancel();
          heard.countDown();
        };
    loop.failsFor(registration::close);
    registration.close();
    assertHeard();
  }

  @ParameterizedTest
  @EnumSource
  void aLoopIsToldAgainOfTheShutdown(Io io) throws Exception {
    PoorLoop loop = start(io);
    loop.addShutdownHook(heard::countDown);
    loop.submit(() -> {}).sync(); // the hook is there
    loop.failsFor(loop::shutDownLater);
    loop.shutDownLater();
    assertHeard();
  }

  /** The timer is set again after the task, if not before. */
  @ParameterizedTest
  @EnumSource
  void aTimerIsSetAgain(Io io) throws Exception {
    PoorLoop loop = start(io);
    loop.submit(
            () -> loop.failsFor(() -> loop.schedule(heard::countDown, 1, TimeUnit.MILLISECONDS)))
        .sync();
    assertHeard();
  }
}
