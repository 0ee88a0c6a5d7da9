package dev.mely.bench.server;

import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Servers and their clients in one process, for what has to be seen from the inside. */
public final class Loads {
  private static final int FILE_BYTES = 1_024;

  private Loads() {}

  /** A server with connected clients; closing ends both. */
  public interface Run extends AutoCloseable {
    /**
     * Loads the server, and waits for what is under way where that is possible.
     *
     * @param amount of what this load is told in
     * @return how many answers that was; of parts of an answer the part
     */
    double load(long amount) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
  }

  /**
   * SWS with one file, and clients in a closed loop; told in requests of each client.
   *
   * @param group NIO loops
   * @param allocator of the connections
   * @param clients how many
   * @return the running load
   */
  public static Run sws(EventLoopGroup group, ByteBufAllocator allocator, int clients)
      throws IOException {
    Path folder = Files.createTempDirectory("mely-misses");
    Path file = Files.write(folder.resolve("0.bin"), new byte[FILE_BYTES]);
    SwsServer server =
        SwsServer.start(
            new SwsConfig(folder).port(0), group, NioServerSocketChannel.class, allocator);
    int port = server.address().getPort();
    int length = lengthOfAnswer(port);
    ClosedLoop client = new ClosedLoop(port, clients, () -> new Get(length));
    return new Run() {
      @Override
      public double load(long amount) throws IOException {
        return client.exchange(amount).getTotalCount();
      }

      @Override
      public void close() throws IOException {
        client.close();
        server.close();
        Files.delete(file);
        Files.delete(folder);
      }
    };
  }

  /**
   * Large responses to clients that take their time; told in nanoseconds.
   *
   * @param group NIO loops
   * @param allocator of the connections
   * @param clients how many
   * @return the running load
   */
  public static Run slow(EventLoopGroup group, ByteBufAllocator allocator, int clients)
      throws IOException {
    Channel server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childOption(ChannelOption.SO_SNDBUF, LargeHandler.SEND_BUFFER)
            .childOption(ChannelOption.ALLOCATOR, allocator)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.pipeline().addLast(LargeHandler.INSTANCE);
                  }
                })
            .bind(InetAddress.getLoopbackAddress(), 0)
            .syncUninterruptibly()
            .channel();
    int port = ((InetSocketAddress) server.localAddress()).getPort();
    SlowReaders client = new SlowReaders(port, clients);
    return new Run() {
      @Override
      public double load(long amount) throws IOException, InterruptedException {
        return (double) client.run(amount).bytes() / LargeHandler.BYTES;
      }

      @Override
      public void close() throws IOException {
        client.close();
        server.close().awaitUninterruptibly(TimeUnit.SECONDS.toMillis(10));
      }
    };
  }

  private static byte[] request(boolean last) {
    String end = last ? "Connection: close\r\n\r\n" : "\r\n";
    return ("GET /0.bin HTTP/1.1\r\nHost: 127.0.0.1\r\n" + end).getBytes(StandardCharsets.US_ASCII);
  }

  /** They are all equally long, but for the date, which always has the same length. */
  private static int lengthOfAnswer(int port) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.getOutputStream().write(request(true));
      return socket.getInputStream().readAllBytes().length - "connection: close\r\n".length();
    }
  }

  /** Asks for the file. */
  private record Get(int replyBytes) implements Exchange {
    private static final byte[] REQUEST = request(false);
    private static final byte[] OK = "HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII);

    @Override
    public int requestBytes() {
      return REQUEST.length;
    }

    @Override
    public void ask(ByteBuffer request) {
      request.put(REQUEST);
    }

    @Override
    public void check(ByteBuffer reply) throws IOException {
      if (!reply.slice(0, OK.length).equals(ByteBuffer.wrap(OK))) {
        throw new IOException(
            "the server answers " + StandardCharsets.US_ASCII.decode(reply.slice(0, OK.length)));
      }
    }
  }
}
