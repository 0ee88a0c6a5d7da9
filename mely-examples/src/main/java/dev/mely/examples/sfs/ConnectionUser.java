package dev.mely.examples.sfs;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The user of a {@link SecureConnection}. All methods are called in the shared color. What one of
 * them throws ends the connection, and is then told to {@link #ended}.
 */
interface ConnectionUser {
  /** The handshake is over. */
  default void established(PublicId peer) {}

  /**
   * A message has come.
   *
   * @param message its first byte is the type of the record
   */
  void message(byte[] message);

  /** There is room again after {@link SecureConnection#isFull}. */
  default void drained() {}

  /** The other side will send nothing more. */
  void peerClosed();

  /**
   * All is over; called once, and nothing after it.
   *
   * @param why null: both sides have said so; no {@link IOException}: a fault of this side
   */
  void ended(@Nullable Throwable why);
}
