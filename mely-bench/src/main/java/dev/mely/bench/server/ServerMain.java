package dev.mely.bench.server;

import dev.mely.Mely;
import dev.mely.MelyBuilder;
import dev.mely.bench.Json;
import dev.mely.examples.sws.Coloring;
import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsCoreServer;
import dev.mely.examples.sws.SwsServer;
import dev.mely.pool.Pool;
import dev.mely.stage.Plan;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The measured JVM of one sample. Prints its port; prints a {@link Usage} for each line on standard
 * input; ends at the end of the input.
 *
 * <p>A separate loop of Netty's group accepts the connections for all groups, so that the n-th
 * connection goes to core n modulo cores. SWS accepts its connections itself, on the group that
 * serves them.
 */
final class ServerMain {
  /** Size of a small file's response in a pool. */
  private static final int RESPONSE_BYTES = 2048;

  private static final long QUIET_MILLIS = 50;
  private static final long END_MILLIS = 1_000;

  private ServerMain() {}

  /**
   * Serves until standard input ends.
   *
   * @param args a {@link ServerSetup}, as JSON
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    ServerSetup setup = Objects.requireNonNull(Json.read(args[0], ServerSetup.class));
    Transport transport = setup.transport();
    LoopThreads threads = new LoopThreads();
    if (setup.service() == Service.SWS_CORE) {
      SwsCoreServer server = withoutNetty(setup, threads);
      JvmProcess.say(server.address().getPort());
      FootprintWatch watch = FootprintWatch.ofJdk();
      answer(threads, watch::sinceLast, () -> Steals.of(server.statistics()));
      System.exit(0);
    }
    EventLoopGroup group = setup.group().start(transport, setup.cores(), setup.pinned(), threads);
    JvmProcess.say(listen(setup, group));
    FootprintWatch watch = FootprintWatch.of(group, setup.cores());
    answer(threads, watch::sinceLast, () -> Steals.of(group));
    // Connections that have just closed may still have tasks for another loop.
    group
        .shutdownGracefully(QUIET_MILLIS, END_MILLIS, TimeUnit.MILLISECONDS)
        .await(2 * END_MILLIS, TimeUnit.MILLISECONDS);
    System.exit(0);
  }

  /** Prints usages until standard input ends. */
  static void answer(LoopThreads threads, Supplier<Footprint> footprint, Supplier<Steals> steals)
      throws IOException {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    while (in.readLine() != null) {
      Usage usage = Usage.ofThisProcess(steals.get(), threads.cpuNanos(), footprint.get());
      JvmProcess.say(Json.line(usage));
    }
  }

  /** Starts a server without Netty. */
  private static SwsCoreServer withoutNetty(ServerSetup setup, LoopThreads threads)
      throws IOException {
    Path files = Objects.requireNonNull(setup.root(), "nothing to serve");
    SwsConfig config =
        new SwsConfig(files).port(0).cores(setup.cores()).policy(setup.group().policy());
    MelyBuilder runtime = Mely.builder().pinned(setup.pinned()).threadFactory(threads);
    if (setup.group() == Group.MELY_BOUND) {
      runtime.plan(responses());
    }
    return SwsCoreServer.start(config, Coloring.MELY, runtime);
  }

  /** A pool of the default size. */
  private static Plan responses() {
    int count = (int) (Pool.defaultBytes() / RESPONSE_BYTES);
    return new Plan(
        Map.of("response", new Plan.Instances(count, RESPONSE_BYTES, Set.of("WriteResponse"))));
  }

  /** Starts a server. Returns the port. */
  private static int listen(ServerSetup setup, EventLoopGroup group)
      throws IOException, InterruptedException {
    Transport transport = setup.transport();
    Path files = setup.root();
    if (setup.service() == Service.SWS && files != null) {
      SwsConfig config = new SwsConfig(files).port(0);
      return SwsServer.start(config, group, transport.serverChannel(), null).address().getPort();
    }
    ServerBootstrap bootstrap =
        bootstrap(transport, group, setup.service().start(group, files))
            .option(ChannelOption.SO_BACKLOG, 1_024);
    if (setup.service() == Service.LARGE) {
      bootstrap.childOption(ChannelOption.SO_SNDBUF, LargeHandler.SEND_BUFFER);
    }
    return bind(bootstrap);
  }

  /** A loop that accepts the connections of a group. */
  static EventLoopGroup acceptor(Transport transport) {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory("acceptor", true), transport.newFactory());
  }

  /** A server whose connections are on a group and get handlers. */
  static ServerBootstrap bootstrap(
      Transport transport, EventLoopGroup group, Consumer<Channel> handlers) {
    return new ServerBootstrap()
        .group(acceptor(transport), group)
        .channel(transport.serverChannel())
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                handlers.accept(channel);
              }
            });
  }

  /** Listens. Returns the port. */
  static int bind(ServerBootstrap bootstrap) throws InterruptedException {
    Channel server = bootstrap.bind(InetAddress.getLoopbackAddress(), 0).sync().channel();
    return ((InetSocketAddress) server.localAddress()).getPort();
  }
}
