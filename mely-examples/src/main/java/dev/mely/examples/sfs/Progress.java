package dev.mely.examples.sfs;

import java.io.PrintWriter;
import java.util.Locale;

/** The progress of a transfer, as a line that is overwritten. */
final class Progress {
  private static final int WIDTH = 30;
  private static final long PERIOD_NANOS = 200_000_000;

  private final String name;
  private final PrintWriter out;
  private final boolean visible;
  private long start;
  private long since;
  private long total;
  private long shown;
  private long bytes;

  /**
   * Makes a line.
   *
   * @param name of the file
   * @param visible whether to print
   */
  Progress(String name, PrintWriter out, boolean visible) {
    this.name = name;
    this.out = out;
    this.visible = visible;
  }

  /** Starts, or continues after a broken connection. */
  void begin(long at, long newTotal) {
    start = at;
    since = System.nanoTime();
    total = newTotal;
    shown = since - PERIOD_NANOS;
    if (visible && at > 0) {
      out.printf(
          Locale.ROOT, "%s: continuing at %,d of %,d bytes%n", Printable.of(name), at, newTotal);
    }
    at(at);
  }

  /** Sets how many bytes are transferred. */
  void at(long newBytes) {
    bytes = newBytes;
    long now = System.nanoTime();
    if (visible && now - shown >= PERIOD_NANOS) {
      shown = now;
      out.print("\r" + line(name, start, bytes, total, now - since));
      out.flush();
    }
  }

  /** The transfer is complete. */
  void end() {
    if (visible) {
      out.println("\r" + line(name, start, bytes, total, System.nanoTime() - since));
      out.flush();
    }
  }

  /** Formats the line, without its end. */
  static String line(String name, long start, long bytes, long total, long nanos) {
    double part = total == 0 ? 1 : (double) bytes / total;
    int filled = (int) (part * WIDTH);
    double perSecond = nanos <= 0 ? 0 : (bytes - start) * 1e9 / nanos;
    long left = perSecond <= 0 ? 0 : (long) ((total - bytes) / perSecond);
    return String.format(
        Locale.ROOT,
        "%-20s %3d%% [%s%s] %7.1f MB/s %3d:%02d left",
        Printable.of(name),
        (int) (part * 100),
        "=".repeat(filled),
        " ".repeat(WIDTH - filled),
        perSecond / 1e6,
        left / 60,
        left % 60);
  }
}
