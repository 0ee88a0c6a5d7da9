package dev.mely.netty;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A poll is about to wait while another thread wakes the poller: it does not wait, or the handler
 * is woken. The handler looks at the end of its wait, because the thread that polls honors a wish
 * that comes later.
 */
@JCStressTest
@Outcome(id = "false, true", expect = Expect.ACCEPTABLE, desc = "The handler is woken.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "It does not wait any more.")
@Outcome(expect = Expect.FORBIDDEN, desc = "It waits for good.")
@State
public class WakeupRace {
  private final Handler handler = new Handler();
  private final IoPoller poller = new IoPoller(0, new Factory(handler));

  @Actor
  public void worker(ZZ_Result r) {
    poller.poll(Long.MAX_VALUE);
    r.r1 = handler.asleep;
  }

  @Actor
  public void waker(ZZ_Result r) {
    poller.wakeup();
    r.r2 = handler.woken;
    handler.over = true;
  }

  private record Factory(IoHandler handler) implements IoHandlerFactory {
    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      return handler;
    }

    @Override
    public boolean isChangingThreadSupported() {
      return true;
    }
  }

  /** Waits a moment for the waker, and notes whether it would wait for ever. */
  private static final class Handler implements IoHandler {
    private static final int WAIT_SPINS = 200;

    /** The worker's. */
    boolean asleep;

    /** The waker's, until it is over. */
    boolean woken;

    volatile boolean over;

    @Override
    public int run(IoHandlerContext context) {
      if (context.canBlock()) {
        for (int i = 0; i < WAIT_SPINS && !over; i++) {
          Thread.onSpinWait();
        }
        asleep = over && !woken;
      }
      return 0;
    }

    @Override
    public void wakeup() {
      woken = true;
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
