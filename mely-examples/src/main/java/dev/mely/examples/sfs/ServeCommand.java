package dev.mely.examples.sfs;

import dev.mely.examples.Ending;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.PlanOption;
import dev.mely.examples.service.RuntimeOptions;
import dev.mely.examples.service.StageOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sfs serve}: serves a folder until it is interrupted. */
@Command(
    name = "serve",
    description = "Serves a folder to clients whose keys it knows, until it is interrupted.",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:could not start, for example because the port is taken; or could not stop in time",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after the answers in flight have been sent"
    })
final class ServeCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--root",
      paramLabel = "DIR",
      description = "The folder to serve (default: the current one).")
  private Path root = Path.of(".");

  @Option(
      names = "--key",
      paramLabel = "FILE",
      required = true,
      description = "The server's key file, made by 'sfs keygen'.")
  private Path key = Path.of("");

  @Option(
      names = "--clients",
      paramLabel = "FILE",
      required = true,
      description =
          "Who may use it: a line for each client with its public key, ro or rw, and a comment.")
  private Path clients = Path.of("");

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      defaultValue = "127.0.0.1",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      defaultValue = "" + RemotePath.DEFAULT_PORT,
      description = "The port to listen on; 0 for any free one (default: ${DEFAULT-VALUE}).")
  private int port = RemotePath.DEFAULT_PORT;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      defaultValue = "1000",
      description = "How many connections there may be at a time (default: ${DEFAULT-VALUE}).")
  private int maxClients;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      defaultValue = "120",
      description =
          "When to end a connection that asks nothing, or reads nothing (default:"
              + " ${DEFAULT-VALUE}).")
  private int idleTimeout;

  @Option(
      names = "--lease",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long clients may cache what they are told (default: ${DEFAULT-VALUE}).")
  private int lease;

  @Mixin private StageOption stages = new StageOption();

  @Mixin private PlanOption plan = new PlanOption();

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    SfsServer server;
    try {
      server = SfsServer.start(config(), plan.plan(stages.runtime()));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      err.println("sfs: " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println("sfs: " + server.description());
    out.flush();
    Ending.onSignal("sfs", server.longestClose(), () -> stop(server, out));
    server.awaitClose();
    return 0;
  }

  private void stop(SfsServer server, PrintWriter out) {
    out.println("sfs: stopping, once the answers in flight have been sent");
    out.flush();
    server.close();
    out.printf(
        Locale.ROOT,
        "sfs: clients: %,d served, %,d turned away; requests: %,d%n",
        server.served(),
        server.turnedAway(),
        server.answers());
    out.print(CoreTable.format(CoreTable.rows(server.statistics())));
    plan.report("sfs", server.statistics(), out);
    out.flush();
    stages.write("sfs", server::stages, out);
  }

  private SfsConfig config() throws IOException {
    InetAddress address;
    try {
      address = InetAddress.getByName(bind);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
    }
    Identity identity = Identity.load(key);
    SfsConfig config =
        SfsConfig.builder(root, identity, Clients.load(clients))
            .bind(address)
            .port(port)
            .cores(runtime.cores().orElse(0))
            .policy(runtime.policy())
            .maxClients(maxClients)
            .handshake(Duration.ofSeconds(Math.min(10, idleTimeout)))
            .idle(Duration.ofSeconds(idleTimeout))
            .drain(runtime.drainTimeout())
            .lease(Duration.ofSeconds(lease))
            .build();
    for (Path secret : List.of(key, clients)) {
      if (secret.toRealPath().startsWith(root.toRealPath())) {
        throw new IllegalArgumentException("'" + secret + "' lies in the folder to be served");
      }
    }
    return config;
  }
}
