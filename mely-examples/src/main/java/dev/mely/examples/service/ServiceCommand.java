package dev.mely.examples.service;

import dev.mely.Mely;
import dev.mely.examples.Ending;
import dev.mely.topology.AllowedCpus;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs a protocol as a server until the process is told to stop. */
@Command(
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after what was owed has been sent"
    })
public abstract class ServiceCommand implements Callable<Integer> {
  /** What carries a protocol. */
  private enum Carrier {
    CORE,
    NETTY
  }

  private final int usualPort;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--on",
      paramLabel = "NAME",
      description =
          "core, which is dev.mely.nio, or netty, with Mely's event loop group (default: core).")
  private String on = "core";

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: a port of its own).")
  private @Nullable Integer port;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others are closed (default: 10000).")
  private int maxClients = 10_000;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description =
          "A client that neither sends nor takes anything for so long is closed; 0: never"
              + " (default: 900).")
  private int idleTimeout = 900;

  @Mixin private StageOption stages = new StageOption();

  /**
   * Called by the applications.
   *
   * @param usualPort where to listen if the command line does not say
   */
  protected ServiceCommand(int usualPort) {
    this.usualPort = usualPort;
  }

  /**
   * Makes the protocol of one server.
   *
   * @param mely has colors that all connections share
   * @return the protocol
   */
  protected abstract Protocol protocol(Mely mely);

  /**
   * Returns how much the operating system shall hold for a client.
   *
   * @return bytes; 0, the default: as it likes
   */
  protected int sendBuffer() {
    return 0;
  }

  /** Runs the server until the process is told to stop. */
  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    String name = spec.name();
    Carrier carrier;
    Server server;
    try {
      carrier = Carrier.valueOf(on.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw wrong("unknown carrier '" + on + "': use core or netty", e);
    }
    try {
      ServiceConfig config = config(name);
      server =
          carrier == Carrier.CORE
              ? CoreServer.start(config, stages.runtime())
              : NettyServer.start(config, stages.isOn());
    } catch (IllegalArgumentException e) {
      throw wrong(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println(name + ": " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println(name + ": " + describe(server));
    out.flush();
    Ending.onSignal(name, server.longestClose(), () -> stop(name, server, out));
    server.awaitClose();
    return 0;
  }

  private ParameterException wrong(String message, Exception cause) {
    return new ParameterException(spec.commandLine(), message, cause);
  }

  private ServiceConfig config(String name) {
    int at = port != null ? port : usualPort;
    if (at < 0 || at > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, but is " + at);
    }
    InetAddress address;
    try {
      address = InetAddress.getByName(bind);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
    }
    return new ServiceConfig(
        name,
        this::protocol,
        new InetSocketAddress(address, at),
        cores(),
        runtime.policy(),
        maxClients,
        Duration.ofSeconds(idleTimeout),
        runtime.drainTimeout(),
        sendBuffer());
  }

  private int cores() {
    return runtime.cores().orElse(AllowedCpus.system().recommendedWorkers());
  }

  private String describe(Server server) {
    return String.format(
        Locale.ROOT,
        "listening at %s on %s, %s, at most %,d clients",
        CoreListener.text(server.address()),
        server.runsOn(),
        runtime.describe(cores()),
        maxClients);
  }

  private void stop(String name, Server server, PrintWriter out) {
    out.println(name + ": stopping, once what is owed has been sent");
    out.flush();
    server.close();
    Clients clients = server.clients();
    out.printf(
        Locale.ROOT,
        "%s: connections: %,d served, %,d turned away%n",
        name,
        clients.served(),
        clients.refused());
    out.print(CoreTable.format(CoreTable.rows(server.statistics())));
    out.flush();
    stages.write(name, server::stages, out);
  }
}
