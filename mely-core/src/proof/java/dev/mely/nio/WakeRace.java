package dev.mely.nio;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;
import java.util.function.Consumer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A worker begins to wait in its selector (r1) while another thread wants it: is it woken (r2)? It
 * sleeps until the other thread has done all that it does.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "It waits, and is woken.")
@Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "It does not wait.")
@Outcome(id = "true, false", expect = Expect.FORBIDDEN, desc = "It sleeps on a wake-up.")
@State
public class WakeRace {
  private final Sleeper selector = new Sleeper();
  private final SelectorPoller poller = new SelectorPoller(0, selector);

  @Actor
  public void worker(ZZ_Result r) {
    try {
      poller.poll(Long.MAX_VALUE);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    r.r1 = selector.waited;
    r.r2 = selector.wokenInTime;
  }

  @Actor
  public void waker() {
    poller.wakeup();
    selector.done = true;
  }

  /** Sleeps until the waker is done, woken or not. */
  private static final class Sleeper extends AbstractSelector {
    boolean waited;
    boolean wokenInTime;
    private volatile boolean woken;
    private volatile boolean done;

    Sleeper() {
      super(null);
    }

    @Override
    public int select(Consumer<SelectionKey> action, long timeout) {
      waited = true;
      while (!done) {
        Thread.onSpinWait();
      }
      wokenInTime = woken;
      return 0;
    }

    @Override
    public int selectNow(Consumer<SelectionKey> action) {
      return 0;
    }

    @Override
    public Selector wakeup() {
      woken = true;
      return this;
    }

    @Override
    protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
      throw new UnsupportedOperationException();
    }

    @Override
    protected void implCloseSelector() {}

    @Override
    public Set<SelectionKey> keys() {
      return Set.of();
    }

    @Override
    public Set<SelectionKey> selectedKeys() {
      return Set.of();
    }

    @Override
    public int selectNow() {
      return 0;
    }

    @Override
    public int select(long timeout) {
      return 0;
    }

    @Override
    public int select() {
      return 0;
    }
  }
}
