package dev.mely.examples.sws;

import dev.mely.examples.service.RuntimeOptions;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that both builds of the web server have. */
final class WebOptions {
  @Option(
      names = "--root",
      paramLabel = "DIR",
      converter = RootConverter.class,
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

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

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
      names = "--prebuilt-mib",
      paramLabel = "N",
      description =
          "How much to keep in memory of files up to 128 KiB; 0 for nothing (default: 64, or a"
              + " quarter of the heap if that is less).")
  private @Nullable Integer prebuiltMib;

  /** Made by the command line alone. */
  WebOptions() {}

  /** Reads the name of a folder, and says what to do where the locale does not allow that. */
  static final class RootConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String name) {
      try {
        return Path.of(name);
      } catch (InvalidPathException e) {
        throw new TypeConversionException(
            "'"
                + name
                + "' is no path in this locale, whose encoding is "
                + System.getProperty("sun.jnu.encoding")
                + "; for names outside of ASCII set LC_ALL=C.UTF-8");
      }
    }
  }

  /** A configuration of what was given, and the defaults. */
  SwsConfig.Builder config() {
    SwsConfig.Builder builder = SwsConfig.builder(root).policy(runtime.policy());
    if (bind != null) {
      builder.bind(bind);
    }
    if (port != null) {
      builder.port(port);
    }
    runtime.cores().ifPresent(builder::cores);
    if (maxClients != null) {
      builder.maxClients(maxClients);
    }
    if (idleTimeout != null) {
      builder.idleTimeout(Duration.ofSeconds(idleTimeout));
    }
    builder.drainTimeout(runtime.drainTimeout());
    if (prebuiltMib != null) {
      builder.prebuilt(128 * 1024, prebuiltMib * 1024L * 1024L);
    }
    return builder;
  }
}
