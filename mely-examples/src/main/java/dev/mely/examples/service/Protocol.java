package dev.mely.examples.service;

/** What a server says to its clients. */
@FunctionalInterface
public interface Protocol {
  /**
   * Begins with a connection.
   *
   * @param connection must not be used before this returns
   * @return receives the input
   */
  Session open(Connection connection);
}
