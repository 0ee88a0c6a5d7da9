package dev.mely.examples.sws;

import dev.mely.StealPolicy;
import dev.mely.examples.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code sws}: serves a folder until it is interrupted. */
@Command(
    name = "sws",
    description = "Serves a folder over HTTP/1.1 until it is interrupted (Ctrl-C).",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    versionProvider = Main.Version.class,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after the responses in flight have been sent"
    })
public final class SwsCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

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
      description = "How many event loops to run (default: one per processor).")
  private @Nullable Integer cores;

  @Option(
      names = "--transport",
      paramLabel = "NAME",
      converter = TransportConverter.class,
      description = "auto, nio or epoll (default: auto, which is epoll where there is one).")
  private Transport transport = Transport.AUTO;

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
  public SwsCommand() {}

  /** Runs the server until the process is told to stop. */
  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    SwsServer server;
    try {
      server = SwsServer.start(config());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      err.println("sws: " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println("sws: " + server.description());
    out.flush();
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server, out), "sws-shutdown"));
    server.awaitClose();
    return 0;
  }

  private static void stop(SwsServer server, PrintWriter out) {
    out.println("sws: stopping, once the responses in flight have been sent");
    out.flush();
    server.close();
    out.printf(
        "sws: connections: %,d served, %,d turned away%n", server.served(), server.refused());
    out.print(CoreTable.format(server.cores()));
    out.flush();
  }

  private SwsConfig config() {
    SwsConfig.Builder builder = SwsConfig.builder(root).transport(transport).policy(policy);
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
    return builder.build();
  }

  /** Reads a {@link Transport}. */
  static final class TransportConverter implements ITypeConverter<Transport> {
    @Override
    public Transport convert(String name) {
      try {
        return Transport.parse(name);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Reads a {@link StealPolicy}. */
  static final class PolicyConverter implements ITypeConverter<StealPolicy> {
    @Override
    public StealPolicy convert(String name) {
      try {
        return StealPolicy.parse(name);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
