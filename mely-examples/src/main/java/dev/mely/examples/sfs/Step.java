package dev.mely.examples.sfs;

import dev.mely.Handler;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A step of a connection. Whatever it throws, for lack of memory also an {@code Error}, ends the
 * connection: what the step was about to do is not done, and nothing after it can be right.
 */
final class Step {
  private Step() {}

  /**
   * Makes a handler of a step, which passes on what the step throws.
   *
   * @param step what to do
   * @param connection whose step it is
   * @param end how to end a connection, in the color of the step
   */
  static <E> Handler<E> handler(
      String name,
      Consumer<E> step,
      Function<E, SecureConnection> connection,
      BiConsumer<SecureConnection, Throwable> end) {
    return Handler.named(
        name,
        event -> {
          try {
            step.accept(event);
          } catch (Throwable t) {
            end.accept(connection.apply(event), t);
            throw t;
          }
        });
  }
}
