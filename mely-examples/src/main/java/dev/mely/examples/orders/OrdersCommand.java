package dev.mely.examples.orders;

import dev.mely.Handler;
import dev.mely.examples.SecondsConverter;
import dev.mely.examples.service.CoreTable;
import dev.mely.examples.service.Running;
import dev.mely.examples.service.ServerCommand;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.stage.StageGraph;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code orders}: requests by WebSocket and the timer of an order are events of {@code
 * group.color(number)}. So they run one at a time, and the order needs no lock.
 */
@Command(
    name = "orders",
    description =
        "Orders by WebSocket: the text '4711' adds an item to that order, a timer ends it; until it"
            + " is interrupted (Ctrl-C).")
public final class OrdersCommand extends ServerCommand<OrdersCommand.Server> {
  @Option(names = "--port", description = "The local port, 0 for any (default: ${DEFAULT-VALUE}).")
  private int port = 7011;

  @Option(names = "--cores", description = "On how many cores to run, 0 for all (default).")
  private int cores = 0;

  @Option(
      names = "--expiry",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "When the timer ends an order (default: 60).")
  private Duration expiry = Duration.ofSeconds(60);

  @Override
  protected Server start() {
    return new Server();
  }

  @Override
  protected String describe(Server server) {
    return "listening at ws://127.0.0.1:" + server.address().getPort() + "/";
  }

  @Override
  protected String report(Server server) {
    return CoreTable.format(CoreTable.rows(server.group.statistics()));
  }

  /** Belongs to the color of its number, so its field is plain. */
  static final class Order {
    int items;
  }

  /** The running server. */
  final class Server implements Running {
    final MelyEventLoopGroup group;
    final Map<String, Order> orders = new ConcurrentHashMap<>();
    private final Handler<String> end = Handler.<String>of(orders::remove).named("End");
    private final Channel listener;

    Server() {
      group =
          MelyEventLoopGroup.builder()
              .cores(cores)
              .runtime(mely -> mely.recordStages(stages.isOn()))
              .build();
      listener =
          new ServerBootstrap()
              .group(group)
              .channel(group.serverSocketChannelType())
              .childHandler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      channel
                          .pipeline()
                          .addLast(new HttpServerCodec(), new HttpObjectAggregator(8192))
                          .addLast(new WebSocketServerProtocolHandler("/"), new Requests());
                    }
                  })
              .bind("127.0.0.1", port)
              .syncUninterruptibly() // throws an IOException if the port is taken
              .channel();
    }

    /** Hands each request to the color of its order. */
    private final class Requests extends SimpleChannelInboundHandler<TextWebSocketFrame> {
      @Override
      protected void channelRead0(ChannelHandlerContext ctx, TextWebSocketFrame frame) {
        String number = frame.text();
        ctx.channel().config().setAutoRead(false); // reads no more until it is answered
        group.mely().execute(group.color(number), () -> add(number, ctx));
      }
    }

    /** In the color of the number, as the timer's event is. */
    private void add(String number, ChannelHandlerContext ctx) {
      int items = ++orders.computeIfAbsent(number, this::open).items;
      ctx.writeAndFlush(new TextWebSocketFrame(number + ": " + items))
          .addListener(sent -> ctx.channel().config().setAutoRead(true));
    }

    private Order open(String number) {
      group.mely().schedule(group.color(number), end, number, expiry);
      return new Order();
    }

    @Override
    public InetSocketAddress address() {
      return (InetSocketAddress) listener.localAddress();
    }

    @Override
    public StageGraph stages() {
      return group.mely().inspect().stages();
    }

    @Override
    public void awaitClose() throws InterruptedException {
      listener.closeFuture().await();
    }

    @Override
    public Duration longestClose() {
      return Duration.ofSeconds(5);
    }

    @Override
    public void close() {
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly(5_000);
    }
  }
}
