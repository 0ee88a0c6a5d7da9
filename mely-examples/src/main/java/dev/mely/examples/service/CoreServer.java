package dev.mely.examples.service;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import java.io.IOException;
import java.net.StandardSocketOptions;

/** A protocol on the selectors of {@code dev.mely.nio}. */
public final class CoreServer extends CoreListener {
  private final ServiceConfig config;

  private CoreServer(ServiceConfig config, MelyBuilder runtime) throws IOException {
    super(config, runtime);
    this.config = config;
  }

  /**
   * Starts a server.
   *
   * @param config the protocol and where to listen
   * @param runtime its cores, policy and error handler are replaced
   * @return the server, accepting connections
   * @throws IOException if the port is taken; the message says which
   */
  public static CoreServer start(ServiceConfig config, MelyBuilder runtime) throws IOException {
    config.check();
    CoreServer server = new CoreServer(config, runtime);
    server.begin();
    return server;
  }

  @Override
  protected Opener opener() {
    Mely mely = nio().mely();
    Protocol protocol = config.protocol().apply(mely);
    if (!config.idleTimeout().isZero()) {
      Handler<Clients> look = Handler.of(Clients::look).named("Look");
      mely.scheduleWithFixedDelay(
          mely.newColor(), look, clients(), config.lookPeriod(), config.lookPeriod());
    }
    return channel -> {
      if (config.sendBuffer() > 0) {
        channel.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBuffer());
      }
      new CoreConnection(nio(), channel, clients()).open(protocol);
    };
  }
}
