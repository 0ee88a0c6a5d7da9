package dev.mely.examples.demo;

import dev.mely.netty.monitor.MelyMonitor;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2StreamFrameToHttpObjectCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.function.Consumer;

/**
 * A server process: one port for HTTP/1.1, one for HTTP/2 with prior knowledge, one for the
 * monitor. Both servers are the same but for what {@link Side} makes. Ends with its standard input.
 */
final class ServerMain {
  private ServerMain() {}

  /**
   * Says its ports, and serves.
   *
   * @param args the side, the number of event loops, the speed of {@link CpuWork}, and the key of
   *     those who may ask
   */
  public static void main(String[] args) throws IOException {
    Side side = Side.valueOf(args[0]);
    CpuWork cpu = new CpuWork(Double.parseDouble(args[2]));
    MelyMonitor monitor = new MelyMonitor();
    EventLoopGroup group = side.group(Integer.parseInt(args[1]), monitor);
    ChannelHandler streams =
        side.streams(
            initializer(
                stream ->
                    stream
                        .pipeline()
                        .addLast(new Http2StreamFrameToHttpObjectCodec(true))
                        .addLast(new WorkHandler(cpu, args[3]))));
    int http =
        listen(
            group,
            connection ->
                connection
                    .pipeline()
                    .addLast(new HttpServerCodec(), new WorkHandler(cpu, args[3])));
    int http2 =
        listen(
            group,
            connection ->
                connection
                    .pipeline()
                    .addLast(Http2FrameCodecBuilder.forServer().build())
                    .addLast(new Http2MultiplexHandler(streams))
                    .addLast(new Closing()));
    Child.say(new Ports(http, http2, monitor.listen(0).getPort()));
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  /** Returns the port: any that is free, for programs of this machine. */
  private static int listen(EventLoopGroup group, Consumer<Channel> initializer) {
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(initializer(initializer))
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) server.localAddress()).getPort();
  }

  private static ChannelHandler initializer(Consumer<Channel> of) {
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel channel) {
        of.accept(channel);
      }
    };
  }

  /** Ends a connection whose client has gone. Each stream has a {@link WorkHandler} beside. */
  private static final class Closing extends ChannelInboundHandlerAdapter {
    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // a failed close ends the connection anyway
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }

  /** Where the server is. */
  record Ports(int http, int http2, int monitor) {}
}
