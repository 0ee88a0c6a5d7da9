package dev.mely.nio;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A selector for Lincheck, of one channel, that waits in a monitor. It does as little as the
 * contract of {@link Selector} allows: a change of interest takes effect when it selects the next
 * time and not before; a select that does not wait swallows a wake-up; one that waits for a limited
 * time ends at once.
 */
class MonitorSelector extends AbstractSelector {
  private @Nullable Key key;
  private int ready;
  private boolean woken;
  private boolean patient = true;

  MonitorSelector() {
    super(null);
  }

  /** The outside world: the channel is ready for these operations now, or not. */
  synchronized void ready(int op, boolean isReady) {
    ready = isReady ? ready | op : ready & ~op;
    notifyAll();
  }

  /** No select waits from now on. */
  synchronized void hurry() {
    patient = false;
  }

  // ---- Selector

  @Override
  public int select(Consumer<SelectionKey> action, long timeout) throws IOException {
    return report(action, take(timeout == 0));
  }

  @Override
  public int selectNow(Consumer<SelectionKey> action) throws IOException {
    return report(action, take(false));
  }

  /** What is ready of what was wanted when the select began. */
  private synchronized int take(boolean waits) {
    Key registered = key;
    int wanted = registered == null || !registered.isValid() ? 0 : registered.interestOps();
    while (waits && patient && !woken && (ready & wanted) == 0) {
      try {
        wait();
      } catch (InterruptedException e) {
        throw new AssertionError(e);
      }
    }
    woken = false;
    return ready & wanted;
  }

  /** Outside of the monitor: a real selector is woken up without its lock. */
  private int report(Consumer<SelectionKey> action, int ops) {
    Key registered = key;
    if (ops == 0 || registered == null || !registered.isValid()) {
      return 0;
    }
    registered.readyOps = ops;
    action.accept(registered);
    return 1;
  }

  @Override
  public synchronized Selector wakeup() {
    woken = true;
    notifyAll();
    return this;
  }

  @Override
  protected SelectionKey register(AbstractSelectableChannel channel, int ops, Object attachment) {
    Key made = new Key(channel, this);
    made.interestOps(ops);
    made.attach(attachment);
    key = made;
    return made;
  }

  @Override
  protected void implCloseSelector() {
    wakeup();
  }

  @Override
  public Set<SelectionKey> keys() {
    Key registered = key;
    return registered == null ? Set.of() : Set.of(registered);
  }

  @Override
  public Set<SelectionKey> selectedKeys() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int selectNow() {
    throw new UnsupportedOperationException();
  }

  @Override
  public int select(long timeout) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int select() {
    throw new UnsupportedOperationException();
  }

  /**
   * Valid for as long as the channel is open. Cancelling it does nothing: the JDK does so in locks
   * that Lincheck does not know, where no thread may stop.
   */
  private static final class Key extends SelectionKey {
    private final AbstractSelectableChannel channel;
    private final MonitorSelector selector;
    private final AtomicInteger interest = new AtomicInteger();
    private int readyOps;

    Key(AbstractSelectableChannel channel, MonitorSelector selector) {
      this.channel = channel;
      this.selector = selector;
    }

    @Override
    public AbstractSelectableChannel channel() {
      return channel;
    }

    @Override
    public Selector selector() {
      return selector;
    }

    @Override
    public boolean isValid() {
      return channel.isOpen();
    }

    @Override
    public void cancel() {}

    @Override
    public int interestOps() {
      return interest.get();
    }

    @Override
    public SelectionKey interestOps(int ops) {
      interest.set(ops);
      return this;
    }

    @Override
    public int interestOpsOr(int ops) {
      return interest.getAndUpdate(old -> old | ops);
    }

    @Override
    public int interestOpsAnd(int ops) {
      return interest.getAndUpdate(old -> old & ops);
    }

    @Override
    public int readyOps() {
      return readyOps;
    }
  }
}
