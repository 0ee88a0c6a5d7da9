package dev.mely.examples.proxy;

import dev.mely.examples.service.CoreListener;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.ServerCommand;
import java.io.IOException;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code proxy}: forwards and caches until it is interrupted. */
@Command(
    name = "proxy",
    description =
        "A caching forward proxy for HTTP/1.1 (GET, HEAD, CONNECT) on dev.mely.nio, until it is"
            + " interrupted (Ctrl-C).",
    footer =
        "%nConnections above --max-clients are closed at once. A tunnel is not idle while either"
            + " side sends. Every client that reaches the proxy can use it to reach what its"
            + " machine can.")
public final class ProxyCommand extends ServerCommand<ProxyServer> {
  @Mixin private ProxyConfig config = new ProxyConfig();

  /** For picocli. */
  public ProxyCommand() {}

  @Override
  protected ProxyServer start() throws IOException {
    return ProxyServer.start(config, stages.runtime());
  }

  @Override
  protected String describe(ProxyServer server) {
    return String.format(
        Locale.ROOT,
        "listening at %s on dev.mely.nio, %s, cache of %,.1f MiB, CONNECT to"
            + " %s, at most %,d clients",
        CoreListener.text(server.address()),
        config.about(),
        config.cacheSize / (1024.0 * 1024.0),
        config.connectPorts.stream().sorted().toList(),
        config.maxClients());
  }

  @Override
  protected String report(ProxyServer server) {
    return String.format(
            Locale.ROOT,
            "connections: %,d served, %,d turned away; requests: %,d%n",
            server.clients().served(),
            server.clients().refused(),
            server.requests())
        + CoreTable.format(CoreTable.rows(server.statistics()));
  }
}
