package dev.mely.examples.sws;

import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.Running;
import java.nio.file.Path;
import java.util.List;

/**
 * A running web server, of either build: {@link SwsServer} on Netty, {@link SwsCoreServer} on
 * {@code dev.mely.nio}. Thread-safe.
 */
public interface WebServer extends Running {
  /**
   * Returns where a browser finds the server.
   *
   * @return a URL that ends in a slash
   */
  default String url() {
    return "http://" + CoreListener.text(address()) + "/";
  }

  /**
   * Returns what the server does and with what.
   *
   * @return a line for people
   */
  String description();

  /**
   * Returns what each core has done so far.
   *
   * @return a row per core; empty if the event loops do not count
   */
  List<CoreTable.Row> cores();

  /**
   * Returns how many connections were served.
   *
   * @return those admitted, open ones included
   */
  long served();

  /**
   * Returns how many connections were turned away.
   *
   * @return those beyond the limit on clients
   */
  long refused();

  /**
   * Returns how many clients are connected now, but for those being turned away.
   *
   * @return a recent number
   */
  int clients();

  /**
   * Returns whether connections are accepted.
   *
   * @return false once the server has been told to stop
   */
  boolean isOpen();

  /**
   * Returns what is served.
   *
   * @return the folder
   */
  Path root();

  @Override
  void awaitClose();

  /**
   * {@inheritDoc}
   *
   * <p>May be called more than once; each call returns when all is closed, or has had the time that
   * it may take.
   */
  @Override
  void close();
}
