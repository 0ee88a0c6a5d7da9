package dev.mely.examples.sfs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The user of a {@link SecureConnection}. All methods are called in the shared color. An exception
 * from one of them ends the connection, and is passed to {@link #ended}.
 */
interface ConnectionUser {
  /** The handshake is over. */
  default void established(PublicId peer) {}

  /**
   * A message has arrived.
   *
   * @param message its first byte is the type of the record
   */
  void message(byte[] message);

  /** There is room again after {@link SecureConnection#isFull}. */
  default void drained() {}

  /** The other side will send no more messages. */
  void peerClosed();

  /**
   * The connection has ended. Called once, as the last call.
   *
   * @param why null if both sides have closed; an exception other than {@link IOException} is a
   *     fault of this side
   */
  void ended(@Nullable Throwable why);
}
