package dev.mely.examples.service;

/** What a server says to its clients. */
@FunctionalInterface
public interface Protocol {
  /**
   * Begins with a connection.
   *
   * @param connection sends and receives nothing before this returns
   * @return gets what is received
   */
  Session open(Connection connection);
}
