package dev.mely.nio;

import dev.mely.Color;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.util.Arrays;

/**
 * A channel's registration with the selector of its home core: one per channel, shared by the
 * sources that listen to it, each to an operation of its own. It lasts until the channel is closed.
 *
 * <p>The selector's interest is changed by atomic bit operations alone. A report first takes the
 * reported operations out ({@link #ready}), then tries the sources; a source that is armed puts its
 * operation in ({@link #arm}), after its change of state. So an operation of an armed source is
 * either in the interest set or about to be put in, and one that is in by accident costs a dropped
 * report.
 */
final class ChannelKey {
  private static final ChannelSource[] NONE = {};

  private final SelectorPoller poller;
  private final SelectableChannel channel;

  /** Set before the key is shown to other threads, see {@link SelectorPoller#register}. */
  @SuppressWarnings("NullAway.Init")
  private SelectionKey key;

  /** Copied on write, under this object's monitor. */
  private volatile ChannelSource[] sources = NONE;

  ChannelKey(SelectorPoller poller, SelectableChannel channel) {
    this.poller = poller;
    this.channel = channel;
  }

  void bind(SelectionKey selectionKey) {
    key = selectionKey;
  }

  SelectableChannel channel() {
    return channel;
  }

  // ---- Poll

  /**
   * The selector reports these operations. Each is taken out just before its source is tried, so
   * that a fault at one source leaves those behind it in the interest set, to be reported again.
   *
   * <p>The sources are read after that: one that was added and armed meanwhile, in place of one
   * that has been cancelled, has just lost its operation, and is tried here.
   */
  void ready(int ops) {
    for (int left = ops; left != 0; left &= left - 1) {
      int op = Integer.lowestOneBit(left);
      key.interestOpsAnd(~op);
      for (ChannelSource source : sources) {
        if (source.op() == op) {
          source.fire();
        }
      }
    }
  }

  /** A color that was stolen has been worked off elsewhere: it starts from where it was found. */
  void bringHome(Color color) {
    poller.bringHome(color);
  }

  // ---- Any thread

  void arm(int op) {
    try {
      key.interestOpsOr(op);
    } catch (CancelledKeyException e) {
      // The channel has been closed.
    }
    poller.wakeIfWaiting(); // a selector takes changes of interest when it selects the next time
  }

  /** The channel has been closed: its selector gives it up, and who waits for it is told. */
  void closed() {
    poller.wakeIfWaiting();
    for (ChannelSource source : sources) {
      source.closed();
    }
  }

  /** A selector gives up the descriptor of a closed channel when it selects the next time. */
  void releaseIfClosed() {
    if (!channel.isOpen()) {
      poller.wakeIfWaiting();
    }
  }

  /**
   * Adds a source.
   *
   * @throws IllegalStateException if there is one for this operation
   */
  synchronized void add(ChannelSource source) {
    for (ChannelSource other : sources) {
      if (other.op() == source.op()) {
        throw new IllegalStateException("there is already a source: " + other);
      }
    }
    ChannelSource[] more = Arrays.copyOf(sources, sources.length + 1);
    more[sources.length] = source;
    sources = more;
  }

  synchronized void remove(ChannelSource source) {
    sources = Arrays.stream(sources).filter(s -> s != source).toArray(ChannelSource[]::new);
  }
}
