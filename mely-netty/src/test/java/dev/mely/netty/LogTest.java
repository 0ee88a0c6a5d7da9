package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** A failing logger has no effect. */
class LogTest {
  @Test
  void whatALogThrowsGoesNoFurther() {
    List<String> told = new ArrayList<>();
    Handler failing =
        new Handler() {
          @Override
          public void publish(LogRecord entry) {
            told.add(entry.getMessage());
            throw new StackOverflowError("planted");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.mely.netty");
    logger.addHandler(failing);
    try {
      assertDoesNotThrow(() -> Log.warn("something has failed", new IllegalStateException("why")));
    } finally {
      logger.removeHandler(failing);
    }
    assertEquals(List.of("something has failed"), told);
  }
}
