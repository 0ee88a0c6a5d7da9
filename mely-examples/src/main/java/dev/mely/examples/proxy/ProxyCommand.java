package dev.mely.examples.proxy;

import dev.mely.examples.Ending;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.RuntimeOptions;
import dev.mely.examples.service.StageOption;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code proxy}: forwards and caches until it is interrupted. */
@Command(
    name = "proxy",
    description =
        "A caching forward proxy for HTTP/1.1 (GET, HEAD, CONNECT) on dev.mely.nio, until it is"
            + " interrupted (Ctrl-C).",
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:stopped",
      "1:could not start, for example because the port is taken",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after what was owed has been sent"
    })
public final class ProxyCommand implements Callable<Integer> {
  private static final ProxyConfig USUAL = ProxyConfig.usual();

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description =
          "The local address to listen on (default: 127.0.0.1). Whoever reaches it can use the"
              + " proxy to reach what this machine can.")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: 3128).")
  private int port = ProxyConfig.USUAL_PORT;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--cache-size",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How much memory the cache may take, as 64MiB; 0 for no cache (default: 64MiB, or a"
              + " quarter of the heap if that is less).")
  private long cacheSize = USUAL.cacheSize();

  @Option(
      names = "--max-object",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "How large a body may be to be kept (default: 1MiB; a 16th of the cache at most).")
  private long maxObject = USUAL.maxObject();

  @Option(
      names = "--connect-timeout",
      paramLabel = "SECONDS",
      description = "How long a name lookup and a connection may take together (default: 10).")
  private int connectTimeout = (int) USUAL.connectTimeout().toSeconds();

  @Option(
      names = "--response-timeout",
      paramLabel = "SECONDS",
      description =
          "How long an origin may take to begin its response, and to go on with it (default: 60).")
  private int responseTimeout = (int) USUAL.responseTimeout().toSeconds();

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      description =
          "When to end a client's connection or a tunnel on which nothing moves (default: 60).")
  private int idleTimeout = (int) USUAL.idleTimeout().toSeconds();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others are closed (default: 10000).")
  private int maxClients = USUAL.maxClients();

  @Option(
      names = "--connect-ports",
      paramLabel = "N,N",
      split = ",",
      description = "To which ports CONNECT may go (default: 443).")
  private Set<Integer> connectPorts = USUAL.connectPorts();

  @Option(
      names = "--allow",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Addresses to connect to although they are denied by default, as 127.0.0.0/8,::1. Denied"
              + " are loopback, link-local, multicast, reserved addresses, and the metadata services"
              + " of clouds. Of two ranges that have an address the smaller one decides.")
  private List<String> allow = USUAL.allow();

  @Option(
      names = "--deny",
      paramLabel = "ADDRESS,RANGE",
      split = ",",
      description =
          "Further addresses not to connect to, as 10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7"
              + " (default: none).")
  private List<String> deny = USUAL.deny();

  @Mixin private StageOption stages = new StageOption();

  /** Made by the command line alone. */
  public ProxyCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    ProxyServer server;
    try {
      server = ProxyServer.start(config(), stages.runtime());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      PrintWriter err = spec.commandLine().getErr();
      err.println("proxy: " + e.getMessage());
      err.flush();
      return 1;
    }
    out.println("proxy: " + describe(server));
    out.flush();
    Ending.onSignal("proxy", server.longestClose(), () -> stop(server, out));
    server.awaitClose();
    return 0;
  }

  private ProxyConfig config() {
    if (port < 0 || port > 65_535) {
      throw new IllegalArgumentException("port must be 0 to 65535, but is " + port);
    }
    InetAddress address;
    try {
      address = InetAddress.getByName(bind);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
    }
    return new ProxyConfig(
        new InetSocketAddress(address, port),
        cores(),
        runtime.policy(),
        maxClients,
        cacheSize,
        maxObject,
        Duration.ofSeconds(connectTimeout),
        Duration.ofSeconds(responseTimeout),
        Duration.ofSeconds(idleTimeout),
        runtime.drainTimeout(),
        connectPorts,
        allow,
        deny);
  }

  private int cores() {
    return runtime.cores().orElse(USUAL.cores());
  }

  private String describe(ProxyServer server) {
    List<Integer> ports = connectPorts.stream().sorted().toList();
    return String.format(
        Locale.ROOT,
        "listening at %s on dev.mely.nio, %s, cache of %,.1f MiB, CONNECT to"
            + " %s, at most %,d clients",
        CoreListener.text(server.address()),
        runtime.describe(cores()),
        cacheSize / (1024.0 * 1024.0),
        ports,
        maxClients);
  }

  private void stop(ProxyServer server, PrintWriter out) {
    out.println("proxy: stopping, once what is owed has been sent");
    out.flush();
    server.close();
    out.printf(
        Locale.ROOT,
        "proxy: connections: %,d served, %,d turned away; requests: %,d%n",
        server.served(),
        server.turnedAway(),
        server.requests());
    out.print(CoreTable.format(CoreTable.rows(server.statistics())));
    out.flush();
    stages.write("proxy", server::stages, out);
  }
}
