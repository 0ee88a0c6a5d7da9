package dev.mely.bench.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.io.IOException;

/**
 * What one connection of a {@link LoadClient} says, and how it knows an answer. One thread only.
 */
interface Dialogue {
  /** Adds to a new connection's pipeline what turns bytes into parts of answers. */
  void install(Channel channel);

  /** Makes the next request. */
  Object ask(ByteBufAllocator allocator);

  /**
   * Looks at the next part of the answer, which it need not release.
   *
   * @return whether it was the last one
   * @throws IOException if it is wrong, saying how
   */
  boolean ends(Object part) throws IOException;
}
