package dev.mely.bench.server;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import java.io.IOException;

/**
 * The requests of one connection of a {@link LoadClient}, and the check of their answers. One
 * thread only.
 */
interface Dialogue {
  /** Adds decoders of answers to a new connection's pipeline. */
  void install(Channel channel);

  /** Makes the next request. */
  Object ask(ByteBufAllocator allocator);

  /**
   * Checks the next part of the answer; the caller releases it.
   *
   * @return whether it was the last part
   * @throws IOException if it is wrong; the message says how
   */
  boolean ends(Object part) throws IOException;
}
