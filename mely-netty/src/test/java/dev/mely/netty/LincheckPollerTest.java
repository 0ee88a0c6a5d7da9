package dev.mely.netty;

import dev.mely.kit.Exploration;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The poller under Lincheck, over an I/O handler that waits on a monitor: a thread that has
 * published something and then wakes the poller does not leave it asleep. A lost wake-up leaves the
 * worker waiting for ever, which Lincheck reports.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckPollerTest {
  @Test
  void aWakeupEndsTheWait() {
    wakeups(Core.class).check();
  }

  @Test
  void aTaskForTheSectionEndsTheWait() {
    tasks(Core.class).check();
  }

  @Test
  void aChangeInTheHandlerEndsTheWait() {
    changes(Core.class).check();
  }

  static Exploration wakeups(Class<?> scenario) {
    return new Exploration(scenario)
        .of("awaitWork", "work")
        .of("awaitWork", "work, work")
        .of("awaitWork", "pollElsewhere", "work");
  }

  static Exploration tasks(Class<?> scenario) {
    return new Exploration(scenario)
        .of("awaitWork", "call, work")
        .of("awaitWork", "pollElsewhere", "call, work");
  }

  static Exploration changes(Class<?> scenario) {
    return new Exploration(scenario)
        .of("awaitChange", "change")
        .of("awaitChange", "change, change");
  }

  /**
   * A core's worker, which polls as long as there is nothing to do, and threads that bring work.
   */
  public static class Core {
    private final Waiting io = new Waiting();
    private final IoPoller poller = new IoPoller(0, io.factory());
    private volatile boolean work;
    private boolean ran;

    @Operation
    public void awaitWork() {
      while (!work) {
        poller.poll(Long.MAX_VALUE);
      }
    }

    @Operation
    public void work() {
      work = true;
      poller.wakeup();
    }

    /** Has something done inside, and waits until it has been. */
    @Operation
    public void call() {
      poller.section().execute(this::done);
      awaitDone();
    }

    private synchronized void done() {
      ran = true;
      notifyAll();
    }

    private synchronized void awaitDone() {
      while (!ran) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }

    /** A selector takes note of changes when it selects the next time. */
    @Operation
    public void awaitChange() {
      while (!io.seen) {
        poller.poll(Long.MAX_VALUE);
      }
    }

    @Operation
    public void change() {
      io.changed = true;
      poller.wakeIfWaiting();
    }

    /** A thief looks for this core's events. */
    @Operation
    public void pollElsewhere() {
      poller.poll(0);
    }
  }

  /** Waits until it is woken, unless it must not. */
  private static final class Waiting implements IoHandler {
    private boolean woken;
    volatile boolean changed;
    volatile boolean seen;

    IoHandlerFactory factory() {
      return new IoHandlerFactory() {
        @Override
        public IoHandler newHandler(ThreadAwareExecutor executor) {
          return Waiting.this;
        }

        @Override
        public boolean isChangingThreadSupported() {
          return true;
        }
      };
    }

    @Override
    public int run(IoHandlerContext context) {
      if (context.canBlock()) {
        look();
        block();
      }
      look();
      return 0;
    }

    private void look() {
      if (changed) {
        seen = true;
      }
    }

    private synchronized void block() {
      while (!woken && !seen) {
        try {
          wait();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      woken = false;
    }

    @Override
    public synchronized void wakeup() {
      woken = true;
      notifyAll();
    }

    @Override
    public IoRegistration register(IoHandle handle) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCompatible(Class<? extends IoHandle> handleType) {
      return false;
    }
  }
}
