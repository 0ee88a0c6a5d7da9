package dev.mely.examples.sws;

import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.Running;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * A running web server: {@link SwsServer} on Netty, or {@link SwsCoreServer} on {@code
 * dev.mely.nio}. Thread-safe.
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
   * Returns the server's URL.
   *
   * @return a URL with a trailing slash
   */
  public final String url() {
    return "http://" + CoreListener.text(address()) + "/";
  }

  /**
   * Describes the server.
   *
   * @return a line to print
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

  /** Describes cores, policy and transport. */
  abstract String runsOn();

  static String runsOn(SwsConfig config, String what) {
    int cores = config.cores();
    return cores + (cores == 1 ? " core, " : " cores, ") + what + ", policy " + config.policy();
  }

  /**
   * Returns what each core has done so far.
   *
   * @return a row per core; empty for lent loops without statistics
   */
  public abstract List<CoreTable.Row> cores();

  /**
   * Returns how many connections were served.
   *
   * @return those admitted, open ones included
   */
  public abstract long served();

  /**
   * Returns how many connections were refused.
   *
   * @return those beyond the limit on clients
   */
  public abstract long refused();

  /**
   * Returns how many clients are connected now, without those being refused.
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

  /** The threads that access the disk. */
  final Disk disk() {
    return files.disk;
  }

  /**
   * {@inheritDoc}
   *
   * <p>May be called more than once; each call returns when all is closed or the timeouts have
   * passed.
   */
  @Override
  public abstract void close();
}
