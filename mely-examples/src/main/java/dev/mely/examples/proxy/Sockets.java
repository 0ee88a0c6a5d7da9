package dev.mely.examples.proxy;

import dev.mely.nio.Nio;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How connections end. */
final class Sockets {
  private static final Logger LOG = LoggerFactory.getLogger(Sockets.class);

  private Sockets() {}

  /**
   * Closes a connection, if it is open.
   *
   * @param reset whether so that what has been sent cannot be taken for all
   */
  static void close(Nio nio, SocketChannel channel, boolean reset) {
    try {
      if (reset && channel.isOpen()) {
        channel.setOption(StandardSocketOptions.SO_LINGER, 0);
      }
    } catch (IOException e) {
      LOG.debug("a connection cannot be reset", e);
    }
    try {
      nio.close(channel);
    } catch (IOException e) {
      LOG.debug("a connection was not closed well", e);
    }
  }
}
