package dev.mely.examples.sws;

import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that both builds of the web server have. */
final class WebOptions {
  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "The folder to serve (default: the current one).")
  private Path root = Path.of(".");

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private @Nullable String bind;

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: 8080).")
  private @Nullable Integer port;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "How many cores to run on (default: one per processor).")
  private @Nullable Integer cores;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      converter = PolicyConverter.class,
      description =
          "How idle cores steal: off, base, locality, time-left, penalty or all (default: all);"
              + " names combine with a plus sign.")
  private StealPolicy policy = StealPolicy.ALL;

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others get 503 (default: 10000).")
  private @Nullable Integer maxClients;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description = "When to end a connection on which nothing moves (default: 30).")
  private @Nullable Integer idleTimeout;

  @Option(
      names = "--drain-timeout",
      paramLabel = "SECONDS",
      description = "How long to wait for responses in flight when stopping (default: 10).")
  private @Nullable Integer drainTimeout;

  @Option(
      names = "--prebuilt-mib",
      paramLabel = "N",
      description =
          "How much to keep in memory of files up to 128 KiB; 0 for nothing (default: 64, or a"
              + " quarter of the heap if that is less).")
  private @Nullable Integer prebuiltMib;

  /** Made by the command line alone. */
  WebOptions() {}

  /** A configuration of what was given, and the defaults. */
  SwsConfig.Builder config() {
    SwsConfig.Builder builder = SwsConfig.builder(root).policy(policy);
    if (bind != null) {
      builder.bind(bind);
    }
    if (port != null) {
      builder.port(port);
    }
    if (cores != null) {
      builder.cores(cores);
    }
    if (maxClients != null) {
      builder.maxClients(maxClients);
    }
    if (idleTimeout != null) {
      builder.idleTimeout(Duration.ofSeconds(idleTimeout));
    }
    if (drainTimeout != null) {
      builder.drainTimeout(Duration.ofSeconds(drainTimeout));
    }
    if (prebuiltMib != null) {
      builder.prebuilt(128 * 1024, prebuiltMib * 1024L * 1024L);
    }
    return builder;
  }
}
