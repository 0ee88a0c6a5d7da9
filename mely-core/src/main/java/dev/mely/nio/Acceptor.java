package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;

/**
 * Accepts connections and hands them to the user's handler.
 *
 * <p>When accepting fails, which mostly means that the process has run out of file descriptors, the
 * connection stays in the backlog and the server stays ready: asking again at once would be a spin.
 * So the source is held for a while, longer each time, and the failure is reported once. The
 * episode is over when a round of accepts ends without a failure.
 */
final class Acceptor extends ChannelSource {
  /** What is left is reported by the next poll: other colors take their turn in between. */
  private static final int ROUND = 16;

  private static final Handler<Acceptor> NOTHING = Handler.of(acceptor -> {});

  private final Selectors selectors;
  private final ServerSocketChannel server;
  private final Handler<? super SocketChannel> accepted;
  private final BackOff backOff = new BackOff();

  Acceptor(
      Mely mely,
      Selectors selectors,
      ChannelKey key,
      ServerSocketChannel server,
      Color color,
      Handler<? super SocketChannel> accepted) {
    super(mely, key, SelectionKey.OP_ACCEPT, color, accepted);
    this.selectors = selectors;
    this.server = server;
    this.accepted = accepted;
    rehearse();
  }

  /**
   * Starts a timer as {@link #hold} does, and takes it back. A class that is needed first when no
   * descriptor is left could not be loaded from a folder: the source would not be held, but fail
   * again at once, and so on.
   */
  private void rehearse() {
    mely().schedule(mely().defaultColor(), NOTHING, this, Duration.ofDays(1)).cancel();
  }

  @Override
  void serve() throws Exception {
    for (int i = 0; i < ROUND && isActive() && !isEnding(); i++) {
      SocketChannel client;
      try {
        client = server.accept();
      } catch (ClosedChannelException e) {
        return; // by another color
      } catch (Throwable t) {
        boolean first = backOff.isFirst();
        hold(backOff.failed());
        if (first) {
          throw t;
        }
        return;
      }
      if (client == null) {
        break;
      }
      handOver(client);
    }
    backOff.succeeded();
  }

  /** The handler owns the channel from here on, unless it fails. */
  private void handOver(SocketChannel client) throws Exception {
    try {
      client.configureBlocking(false);
      accepted.handle(client);
    } catch (Throwable t) {
      selectors.closeQuietly(client); // it may have registered it before
      throw t;
    }
  }
}
