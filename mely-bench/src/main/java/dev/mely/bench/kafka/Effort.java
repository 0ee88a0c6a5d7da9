package dev.mely.bench.kafka;

import dev.mely.bench.Work;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the handler of a record does: microseconds of computing, or milliseconds of waiting, as for
 * a database.
 *
 * @param label on the command line
 * @param nanos how long it takes
 * @param waits whether its thread sleeps meanwhile
 */
record Effort(String label, long nanos, boolean waits) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,4})(us|ms)");

  /** Keeps the work from being optimized away. */
  @SuppressWarnings("UnusedVariable") // write-only
  private static volatile long result;

  /**
   * Reads a time.
   *
   * @throws IllegalArgumentException if it is something else; the message says what it should be
   */
  static Effort parse(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "the work '" + text + "' should be computing, such as 100us, or waiting, such as 5ms");
    }
    boolean waits = form.group(2).equals("ms");
    TimeUnit unit = waits ? TimeUnit.MILLISECONDS : TimeUnit.MICROSECONDS;
    return new Effort(text, unit.toNanos(Long.parseLong(form.group(1))), waits);
  }

  /** How many records take some seconds, on some cores. */
  int records() {
    // Handlers that wait: for those that have thousands at once; others are cut off at the limit.
    long work = TimeUnit.SECONDS.toNanos(waits ? 2_500 : 12);
    return (int) Math.max(500, Math.min(2_000_000, work / Math.max(1, nanos)));
  }

  /** Loads what it needs: the calibration of computing takes a while, in no handler. */
  void prepare() {
    if (!waits) {
      result = Work.iterations(nanos);
    }
  }

  /** Makes it. */
  void spend() throws InterruptedException {
    if (waits) {
      TimeUnit.NANOSECONDS.sleep(nanos);
    } else if (nanos > 0) {
      long spun = Work.spin(Work.iterations(nanos), nanos);
      if (spun == 0) {
        result = spun;
      }
    }
  }
}
