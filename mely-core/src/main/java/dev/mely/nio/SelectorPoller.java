package dev.mely.nio;

import dev.mely.Color;
import dev.mely.spi.Poller;
import java.io.IOException;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One core's selector, in which its worker waits when there is nothing to run.
 *
 * <p>libasync-smp's select callback has two forms, one that polls and one that blocks (section 3,
 * scheduling). Here the worker itself calls {@link #poll}, between batches without waiting, and
 * with a wait when it has found nothing to run and nothing to steal. A selector may be used by one
 * thread after the other, so that an idle worker can poll for a core that is stuck in a handler.
 *
 * <h2>Waking</h2>
 *
 * <pre>
 *   poll that waits                        waker
 *   1. waiter := self                      a. wanted := true  (or: change the interest of a key)
 *   2. wanted? then do not wait            b. waiter set? then wake the selector
 *   3. select
 *   4. waiter := null, wanted := false
 * </pre>
 *
 * <p>The Dekker pattern, with volatile accesses: either (2) sees (a), or (b) sees (1) and the
 * selector is woken, before it waits or while it does. (Changes of interest are taken over inside
 * (3), under a lock of the selector that orders them in the same way.) The flag is needed beside
 * the selector's own: a poll that does not wait swallows a wake-up that was meant for the next poll
 * that does.
 *
 * <h2>The end</h2>
 *
 * <p>When the selector is closed, by any thread, the poller's work with channels ends, which is
 * reported once. Its core may go on: it waits in a monitor then, and is woken there by the same
 * protocol. It waits there for a while, too, after a select that has failed (back-off).
 */
final class SelectorPoller implements Poller {
  private static final long NANOS_PER_MILLI = 1_000_000;

  /** Longer waits count as endless. */
  private static final long LONGEST_WAIT_NANOS = Long.MAX_VALUE / 4;

  private static final long ENDLESS = 0; // as Selector.select and Object.wait have it

  private static final String SHUT_DOWN = "the runtime has been shut down";

  private final int core;
  private final Selector selector;
  private final Consumer<SelectionKey> report = this::report;

  /** Who is in a poll that may wait. */
  private volatile @Nullable Thread waiter;

  private final AtomicBoolean wanted = new AtomicBoolean();

  /** Whether a thread waits on a monitor, and not in the selector. */
  private volatile boolean resting;

  /** Set before channels are closed, looked at after one has been registered. */
  private volatile boolean closing;

  /** That the selector is closed has been reported. Inside a poll only, as the next field. */
  private boolean reported;

  private final BackOff backOff = new BackOff();

  /** The thread that waits here, which is the core's worker. Racy on purpose, see bringHome. */
  private @Nullable Thread worker;

  SelectorPoller(int core) throws IOException {
    this(core, Selector.open());
  }

  /**
   * @param core number of the core
   * @param selector the poller's own from now on
   */
  SelectorPoller(int core, Selector selector) {
    this.core = core;
    this.selector = selector;
  }

  // ---- Poller

  @Override
  public void poll(long maxWaitNanos) throws IOException {
    if (maxWaitNanos <= 0) {
      select(maxWaitNanos);
      return;
    }
    Thread self = Thread.currentThread();
    worker = self;
    waiter = self;
    try {
      select(wanted.get() ? 0 : maxWaitNanos);
    } finally {
      waiter = null;
      // A wake-up just before this line is not lost: the worker looks around after each
      // poll, and the atomic exchange lets it see what the waker did before.
      wanted.getAndSet(false);
      if (Thread.interrupted()) {
        // An interrupt meant for a handler that is over: it would turn every select into a spin.
      }
    }
  }

  private void select(long maxWaitNanos) throws IOException {
    if (reported) {
      rest(maxWaitNanos);
      return;
    }
    try {
      if (maxWaitNanos <= 0) {
        selector.selectNow(report);
      } else {
        selector.select(report, millis(maxWaitNanos));
      }
      if (!backOff.isFirst()) {
        backOff.succeeded();
      }
    } catch (ClosedSelectorException e) {
      reported = true;
      throw e;
    } catch (IOException e) {
      boolean first = backOff.isFirst();
      rest(Math.min(maxWaitNanos, backOff.failed().toNanos()));
      if (first) {
        throw e;
      }
    }
  }

  /** Waits without the selector. */
  private void rest(long maxWaitNanos) {
    if (maxWaitNanos <= 0) {
      return;
    }
    resting = true; // then look at wanted; a waker sets wanted, then looks here
    try {
      synchronized (wanted) {
        if (!wanted.get()) {
          wanted.wait(millis(maxWaitNanos));
        }
      }
    } catch (InterruptedException e) {
      // As in a select: meant for a handler that is over.
    } finally {
      resting = false;
    }
  }

  /** Rounded up: a wait that ended early would be followed by polls that do not wait at all. */
  static long millis(long nanos) {
    return nanos > LONGEST_WAIT_NANOS ? ENDLESS : (nanos + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
  }

  private void report(SelectionKey selectionKey) {
    try {
      ((ChannelKey) selectionKey.attachment()).ready(selectionKey.readyOps());
    } catch (CancelledKeyException e) {
      // The channel is being closed at this moment.
    }
  }

  @Override
  public void wakeup() {
    // A worker that posts to its own core in a poll that waits is about to return anyway. Not so
    // the thread that polls for another core: that core's worker may be about to wait.
    if (waiter != Thread.currentThread() && !wanted.getAndSet(true) && waiter != null) {
      selector.wakeup();
      if (resting) {
        synchronized (wanted) {
          wanted.notifyAll();
        }
      }
    }
  }

  /** Closes all registered channels, and the selector. May be called again. */
  @Override
  public synchronized void close() {
    if (!selector.isOpen()) {
      return;
    }
    closing = true;
    for (SelectionKey key : selector.keys()) {
      closeQuietly(key.channel());
    }
    try {
      selector.close();
    } catch (Throwable t) {
      Log.warn("closing the selector of core " + core + " failed", t);
    }
  }

  private static void closeQuietly(SelectableChannel channel) {
    try {
      channel.close();
    } catch (Throwable t) {
      Log.warn("closing a " + channel.getClass().getName() + " failed", t);
    }
  }

  /**
   * Moves an idle color to this core, so that what was spread evenly stays so. A thread that polls
   * in the worker's place leaves it where it is: this core is stuck.
   */
  void bringHome(Color color) {
    // Written by the worker alone: any thread that reads its own name here is the worker.
    if (worker == Thread.currentThread() && color.core() != core) {
      color.moveTo(core);
    }
  }

  // ---- Any thread

  /** What the caller has changed in the selector takes effect with the next select. */
  void wakeIfWaiting() {
    Thread waiting = waiter;
    if (waiting != null && waiting != Thread.currentThread()) {
      selector.wakeup();
    }
  }

  /** The channel's registration here, or null. */
  @Nullable ChannelKey find(SelectableChannel channel) {
    SelectionKey key = channel.keyFor(selector);
    return key == null ? null : (ChannelKey) key.attachment();
  }

  /**
   * Registers a channel, with no interest. The caller holds the channel's {@code blockingLock}. One
   * that is registered while the poller is being closed is refused, if it is not closed as well.
   *
   * @throws RejectedExecutionException if the selector has been closed
   */
  ChannelKey register(SelectableChannel channel) throws ClosedChannelException {
    ChannelKey key = new ChannelKey(this, channel);
    try {
      key.bind(channel.register(selector, 0, key));
    } catch (ClosedSelectorException e) {
      throw new RejectedExecutionException(SHUT_DOWN, e);
    }
    // Registered, then looked; the closing thread sets this, then looks at what is registered.
    if (closing) {
      throw new RejectedExecutionException(SHUT_DOWN);
    }
    return key;
  }
}
