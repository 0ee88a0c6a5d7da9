package dev.mely.examples.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets the two servers take turns while a page is open. Starts the processes, and starts them anew
 * if one of them ends or the number of cores has changed. One thread runs it; any may close it.
 */
final class Turns implements AutoCloseable {
  /** On both sides HTTP/2, then HTTP/1.1, and once more. */
  private static final int WARM_UP_TURNS = 8;

  private static final int WARM_UP_STREAMS = 64;

  private static final int MOST_FAILURES = 3;
  private static final long FAILURES_NANOS = TimeUnit.MINUTES.toNanos(1);

  /** Ctrl-C ends the processes, too: this one is soon told that it is to end. */
  private static final long SIGNAL_MILLIS = 300;

  private final Board board;
  private final PrintWriter err;
  private final Deque<Long> failures = new ArrayDeque<>();

  // Guarded by this.
  private boolean closed;
  private @Nullable Children children;

  /**
   * @param err is told of processes that end
   */
  Turns(Board board, PrintWriter err) {
    this.board = board;
    this.err = err;
  }

  /**
   * Goes on until it is closed.
   *
   * @throws IOException if processes end again and again: why
   */
  void run() throws IOException, InterruptedException {
    double perMicro = CpuWork.measure();
    while (!isClosed()) {
      board.progress("starting");
      @Nullable Children now = null;
      try {
        now = new Children(board.settings().cores(), perMicro);
        if (use(now)) {
          board.restarted();
          takeTurns(now);
        }
      } catch (IOException e) {
        TimeUnit.MILLISECONDS.sleep(SIGNAL_MILLIS);
        if (!isClosed()) {
          failed(now == null ? e : now.why(e));
        }
      } finally {
        if (now != null) {
          now.close();
        }
      }
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  private synchronized boolean use(Children now) {
    children = now;
    return !closed;
  }

  /** Until the number of cores is another one. */
  private void takeTurns(Children now) throws IOException, InterruptedException {
    Side side = Side.NETTY;
    for (int turn = 0; ; turn++, side = side.other()) {
      boolean warm = turn >= WARM_UP_TURNS;
      board.progress(warm ? null : "warming up, turns to go: " + (WARM_UP_TURNS - turn));
      Settings settings = board.awaitPages();
      if (isClosed() || settings.cores() != now.cores()) {
        return;
      }
      if (warm) {
        board.measured(settings, side, now.turn(side, settings));
      } else {
        now.turn(side, Settings.warmUp(now.cores(), turn % 4 < 2 ? WARM_UP_STREAMS : 0));
      }
    }
  }

  private void failed(IOException why) throws IOException {
    long now = System.nanoTime();
    failures.add(now);
    failures.removeIf(at -> now - at > FAILURES_NANOS);
    if (failures.size() == MOST_FAILURES) {
      throw new IOException(why.getMessage() + ", the third failure in a minute", why);
    }
    err.println("demo: " + why.getMessage() + "; starting anew");
    err.flush();
  }

  /** Ends the processes. */
  @Override
  public void close() {
    @Nullable Children last;
    synchronized (this) {
      closed = true;
      last = children;
    }
    board.close();
    if (last != null) {
      last.close();
    }
  }
}
