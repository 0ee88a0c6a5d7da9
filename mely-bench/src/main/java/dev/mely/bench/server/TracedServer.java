package dev.mely.bench.server;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.bench.server.MissesCommand.Modeled;
import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A server and its clients in this process; its buffers are traced from its start to its end. */
final class TracedServer implements AutoCloseable {
  private static final int FILE_BYTES = 1_024;
  private static final long END_SECONDS = 10;

  private final Setting setting;
  private final Trace trace;
  private final EventLoopGroup group;
  private final ByteBufAllocator allocator;

  /**
   * @param parts shares of the cache that are left for buffers, each a case of its own: 2 is a half
   */
  TracedServer(Setting setting, CacheShape shape, int... parts) {
    this.setting = setting;
    trace = new Trace(Arrays.stream(parts).mapToObj(shape::share).toList());
    group = setting.start(shape.bytes() / 2);
    allocator = new TracingAllocator(setting.allocator(group), trace);
  }

  /** SWS: each client asks for a file of 1 KB {@code requests} times to warm up, then again. */
  Modeled sws(String load, int clients, int requests) throws Exception {
    Site site = new Site.EqualFiles(1, FILE_BYTES);
    Path folder = Files.createTempDirectory("mely-misses");
    try {
      site.write(folder);
      SwsConfig config = new SwsConfig(folder).port(0);
      try (SwsServer server =
              SwsServer.start(config, group, NioServerSocketChannel.class, allocator);
          LoadClient client =
              new LoadClient(server.address().getPort(), clients, HttpDialogue.of(site))) {
        return counted(load, () -> (double) client.exchange(requests).getTotalCount());
      }
    } finally {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  /** Large responses to slow clients: {@code nanos} to warm up, then as long again. */
  Modeled slow(String load, int clients, long nanos) throws Exception {
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
    try (SlowReaders client = new SlowReaders(port, clients)) {
      return counted(load, () -> (double) client.run(nanos).bytes() / LargeHandler.BYTES);
    } finally {
      server.close().awaitUninterruptibly(TimeUnit.SECONDS.toMillis(END_SECONDS));
    }
  }

  /**
   * What a load touches, after the same load.
   *
   * @param answers loads the server; tells how many answers that was, the part of one included
   */
  private Modeled counted(String load, Callable<Double> answers) throws Exception {
    answers.call();
    long[] before = trace.counts();
    double count = answers.call();
    long[] after = trace.counts();
    List<Double> misses = new ArrayList<>();
    for (int i = 1; i < after.length; i++) {
      misses.add((after[i] - before[i]) / count);
    }
    return new Modeled(load, setting, (after[0] - before[0]) / count, misses);
  }

  @Override
  public void close() {
    group
        .shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
  }
}
