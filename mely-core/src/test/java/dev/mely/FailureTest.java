package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What an error handler is told where there is no event, see {@link ErrorHandler#onFailure}. */
class FailureTest {
  private final List<String> told = new ArrayList<>();

  /** Takes notes of both kinds. */
  private final class Notes implements ErrorHandler {
    @Override
    public void onError(Color color, Object event, Throwable error) {
      told.add("event " + event + ": " + error.getMessage());
    }

    @Override
    public void onFailure(Object source, Throwable error) {
      told.add(source.getClass().getSimpleName() + ": " + error.getMessage());
    }
  }

  /** A runtime over a host that stands still, with the error handler as it is. */
  private static final class Still {
    final FakeHost host = new FakeHost();
    final Mely mely;

    Still(ErrorHandler errors) {
      SettingsBuilder settings = new SettingsBuilder();
      settings.errors = errors;
      mely = new Mely(host, settings.build(), host::newPoller, new int[1]);
    }

    void run() {
      for (int i = 0; i < 50 && host.worker(0).state() != WorkerState.PARK; i++) {
        host.as(0, () -> host.worker(0).step());
      }
    }

    /** Polls once. */
    void park() {
      host.as(0, () -> host.worker(0).step());
    }
  }

  @Test
  void aPollerThatFailsIsAFailure() {
    Still still = new Still(new Notes());
    still.host.poller(0).pollsToFail = 1;
    still.run();
    still.park();
    assertEquals(List.of("FakePoller: the poller fails, as planned"), told);
  }

  @Test
  void anEventIsNotAFailureAndItsRejectionIs() {
    Still still = new Still(new Notes());
    dev.mely.Handler<String> failing =
        new dev.mely.Handler<>() {
          @Override
          public void handle(String event) {
            throw new IllegalStateException("handled");
          }

          @Override
          protected void rejected(String event) {
            throw new IllegalStateException("rejected " + event);
          }
        };
    Color color = still.mely.newColor();
    still.mely.register(color, failing, "first");
    still.run();
    still.mely.register(color, failing, "last");
    still.mely.shutdown(java.time.Duration.ZERO);
    assertEquals(List.of("event first: handled", "String: rejected last"), told);
  }

  /** A lambda knows events alone: the rest is logged, as without an error handler. */
  @Test
  void isLoggedByDefault() {
    Logger logger = Logger.getLogger("dev.mely");
    Listener listener = new Listener();
    logger.addHandler(listener);
    logger.setUseParentHandlers(false);
    try {
      Still still = new Still((color, event, error) -> told.add("event"));
      still.host.poller(0).pollsToFail = 1;
      still.run();
      still.park();
    } finally {
      logger.removeHandler(listener);
      logger.setUseParentHandlers(true);
    }
    assertEquals(List.of(), told);
    assertEquals(1, listener.messages.size(), listener.messages::toString);
    assertTrue(listener.messages.get(0).contains("FakePoller"), listener.messages::toString);
  }

  @Test
  void anErrorHandlerThatThrowsCostsNobodyAnything() {
    Still still =
        new Still(
            new ErrorHandler() {
              @Override
              public void onError(Color color, Object event, Throwable error) {}

              @Override
              public void onFailure(Object source, Throwable error) {
                told.add("failure");
                throw new IllegalStateException("planned");
              }
            });
    still.host.poller(0).pollsToFail = 1;
    still.run();
    still.park();
    Color color = still.mely.newColor();
    still.mely.register(color, dev.mely.Handler.of(told::add), "goes on");
    still.park(); // the wait is over
    still.run();
    assertEquals(List.of("failure", "goes on"), told);
    assertFalse(color.isCurrent());
  }

  private static final class Listener extends Handler {
    final List<String> messages = new ArrayList<>();

    @Override
    public void publish(LogRecord record) {
      messages.add(record.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
