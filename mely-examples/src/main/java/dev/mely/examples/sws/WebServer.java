package dev.mely.examples.sws;

import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.Running;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A running web server, of either build: {@link SwsServer} on Netty, {@link SwsCoreServer} on
 * {@code dev.mely.nio}. Thread-safe.
 *
 * <p>{@code start} returns when it accepts connections; {@link #close} lets the responses in flight
 * finish.
 */
public abstract sealed class WebServer implements Running permits SwsServer, SwsCoreServer {
  final SwsConfig config;
  final FileStore files;

  WebServer(SwsConfig config, FileStore files) {
    this.config = config;
    this.files = files;
  }

  /**
   * Returns where a browser finds the server.
   *
   * @return a URL that ends in a slash
   */
  public final String url() {
    return "http://" + CoreListener.text(address()) + "/";
  }

  /**
   * Returns what the server does and with what.
   *
   * @return a line for people
   */
  public final String description() {
    return String.format(
        Locale.ROOT,
        "serving %s at %s with %s; %,d paths prebuilt (%,.1f MiB), at most %,d clients",
        config.root(),
        url(),
        runsOn(),
        files.prebuilt.size(),
        files.prebuilt.bytes() / (1024.0 * 1024.0),
        config.maxClients());
  }

  /** Cores, policy, and what else it runs on. */
  abstract String runsOn();

  static String runsOn(SwsConfig config, String what) {
    int cores = config.cores();
    return cores + (cores == 1 ? " core, " : " cores, ") + what + ", policy " + config.policy();
  }

  /**
   * Returns what each core has done so far.
   *
   * @return a row per core; empty if the event loops do not count
   */
  public abstract List<CoreTable.Row> cores();

  /**
   * Returns how many connections were served.
   *
   * @return those admitted, open ones included
   */
  public abstract long served();

  /**
   * Returns how many connections were turned away.
   *
   * @return those beyond the limit on clients
   */
  public abstract long refused();

  /**
   * Returns how many clients are connected now, but for those being turned away.
   *
   * @return a recent number
   */
  public abstract int clients();

  /**
   * Returns whether connections are accepted.
   *
   * @return false once the server has been told to stop
   */
  public abstract boolean isOpen();

  /**
   * Returns what is served.
   *
   * @return the folder
   */
  public final Path root() {
    return config.root();
  }

  /** The threads that wait for the disk. */
  final Disk disk() {
    return files.disk;
  }

  /**
   * {@inheritDoc}
   *
   * <p>May be called more than once; each call returns when all is closed, or has had the time that
   * it may take.
   */
  @Override
  public abstract void close();
}
