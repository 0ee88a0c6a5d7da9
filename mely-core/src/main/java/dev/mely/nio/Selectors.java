package dev.mely.nio;

import dev.mely.Color;
import dev.mely.spi.Poller;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The selectors of a runtime, one per core. Made with the runtime, in the order of its cores. */
final class Selectors implements Poller.Factory {
  /** Grows while the runtime is being made, on that thread; fixed from then on. */
  private final List<SelectorPoller> pollers = new ArrayList<>();

  @Override
  public Poller newPoller(int core) {
    try {
      SelectorPoller poller = new SelectorPoller(core);
      pollers.add(poller);
      return poller;
    } catch (IOException e) {
      throw new UncheckedIOException("no selector for core " + core, e);
    }
  }

  /**
   * Finds or makes the registration of a channel; its home is the core where the color is now.
   *
   * @throws ClosedChannelException if the channel is closed
   * @throws IllegalArgumentException if it is in blocking mode
   */
  ChannelKey register(SelectableChannel channel, Color color) throws ClosedChannelException {
    synchronized (channel.blockingLock()) { // or two threads could choose two homes
      if (!channel.isOpen()) {
        throw new ClosedChannelException();
      }
      if (channel.isBlocking()) {
        throw new IllegalArgumentException(
            "the channel is in blocking mode, call configureBlocking(false) first: " + channel);
      }
      ChannelKey key = find(channel);
      return key != null ? key : pollers.get(color.core()).register(channel);
    }
  }

  /** The registration of a channel, or null. */
  @Nullable ChannelKey find(SelectableChannel channel) {
    if (channel.isRegistered()) {
      for (SelectorPoller poller : pollers) {
        ChannelKey key = poller.find(channel);
        if (key != null) {
          return key;
        }
      }
    }
    return null;
  }

  /** Closes a channel, and wakes its selector to give up the descriptor. */
  void close(SelectableChannel channel) throws IOException {
    ChannelKey key = find(channel);
    try {
      channel.close();
    } finally {
      if (key != null) {
        key.closed();
      }
    }
  }

  /** The same, where there is a failure already to tell of. */
  void closeQuietly(SelectableChannel channel) {
    try {
      close(channel);
    } catch (Throwable t) {
      // It is given up in any case.
    }
  }

  /** Closes all that is registered, and the selectors. */
  void close() {
    pollers.forEach(SelectorPoller::close);
  }
}
