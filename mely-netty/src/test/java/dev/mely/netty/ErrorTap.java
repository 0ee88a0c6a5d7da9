package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** What is logged meanwhile, by Netty (to the standard error stream) and by Mely. */
final class ErrorTap implements AutoCloseable {
  private final PrintStream before = System.err;
  private final ByteArrayOutputStream logged = new ByteArrayOutputStream();
  private final Logger mely = Logger.getLogger("dev.mely");
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          if (message.getLevel().intValue() >= Level.WARNING.intValue()) {
            System.err.println(message.getMessage() + " " + message.getThrown());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  ErrorTap() {
    System.setErr(
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int b) {
                logged.write(b);
                before.write(b);
              }
            },
            true));
    mely.addHandler(handler);
  }

  /** Fails if anything has been logged. */
  void assertSilent() {
    assertEquals(List.of(), logged.toString().lines().toList());
  }

  @Override
  public void close() {
    System.setErr(before);
    mely.removeHandler(handler);
  }
}
