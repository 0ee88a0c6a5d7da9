package dev.mely.netty;

import dev.mely.kit.Exploration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The state of a registration under Lincheck, between a level-triggered I/O handler, which one
 * thread polls, and the color that serves the channel: readiness is in the color's queue once at
 * most, and no channel with input is left masked.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckReadinessTest {
  @Test
  void noChannelSleepsOnInputAndNoneIsQueuedTwice() {
    served(Channel.class).check();
  }

  @Test
  void nothingIsLostWhereAPollMasksWhatItHasReportedOften() {
    new Exploration(LongWaiting.class)
        .of("poll, poll", "serve, serve")
        .of("poll, poll", "serve", "input")
        .of("poll, poll", "pause, resume, serve")
        .check();
  }

  @Test
  void aWishIsNotLost() {
    wishes(Channel.class).check();
  }

  static Exploration served(Class<?> scenario) {
    return new Exploration(scenario)
        .of("poll, mask, poll", "serve, serve")
        .of("poll, poll, poll", "serve, serve, serve")
        .of("poll, mask, poll, mask", "serve, serve", "input");
  }

  static Exploration wishes(Class<?> scenario) {
    return new Exploration(scenario)
        .of("poll, mask", "pause, serve")
        .of("poll, mask, poll", "pause, resume, serve")
        .of("poll, mask", "serve, pause, resume", "input");
  }

  /** A channel that always has input. */
  public static class Channel {
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicInteger input = new AtomicInteger(1);
    private final ModelSource source = new ModelSource();
    private final Readiness readiness = source.readiness;
    private volatile boolean twice;

    /** Section: the handler looks for what is ready. */
    @Operation
    public void poll() {
      if (source.armed && input.get() > 0 && readiness.claim() && queued.incrementAndGet() > 1) {
        twice = true;
      }
    }

    /** Section: the poll is about to wait. */
    @Operation
    public void mask() {
      if (readiness.isInFlight()) {
        readiness.mask();
      }
    }

    /** Color: the channel's turn, if it was posted. */
    @Operation
    public void serve() {
      if (queued.get() > 0) {
        queued.decrementAndGet(); // taken out of the color's queue before it runs
        input.set(0);
        readiness.handled();
      }
    }

    @Operation
    public void input() {
      input.set(1);
    }

    @Operation
    public void pause() {
      source.submit(false);
    }

    @Operation
    public void resume() {
      source.submit(true);
    }

    @Validate
    public void check() {
      if (twice) {
        throw new AssertionError("queued twice");
      }
      if (queued.get() == 0 && (readiness.isInFlight() || readiness.isMasked())) {
        throw new AssertionError("not queued, but in flight or masked");
      }
      if (queued.get() == 0 && source.armed != source.interested) {
        throw new AssertionError("armed: " + source.armed + " wish: " + source.interested);
      }
    }
  }

  /** A channel that is masked when it is reported once more. */
  public static class LongWaiting extends Channel {
    public LongWaiting() {
      for (int i = 0; i < Readiness.MAX_DROPPED; i++) {
        poll(); // the first claims it
      }
    }
  }
}
