package dev.mely;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** Collects the warnings of a logger, which are printed nowhere meanwhile, until it is closed. */
public final class LogTap implements AutoCloseable {
  private final List<String> warnings = new CopyOnWriteArrayList<>();
  private final Logger logger; // or it is collected
  private final Handler handler =
      new Handler() {
        @Override
        public void publish(LogRecord message) {
          if (message.getLevel() == Level.WARNING) {
            warnings.add(message.getMessage());
          }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
      };

  public LogTap(String name) {
    logger = Logger.getLogger(name);
    logger.addHandler(handler);
    logger.setUseParentHandlers(false);
  }

  public List<String> warnings() {
    return List.copyOf(warnings);
  }

  @Override
  public void close() {
    logger.removeHandler(handler);
    logger.setUseParentHandlers(true);
  }
}
