package dev.mely.bench.server;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsServer;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** A server and its clients in this process; its buffers are traced from start to end. */
final class TracedServer implements AutoCloseable {
  private static final int FILE_BYTES = 1_024;
  private static final long END_SECONDS = 10;

  private final EventLoopGroup group;
  private final ByteBufAllocator allocator;

  TracedServer(Setting setting, CacheShape shape) {
    group = setting.start(shape.bytes() / 2);
    allocator = setting.allocator(group);
    TracedChannel.trace(MissesCommand.SHARES.keySet().stream().map(shape::share).toList());
  }

  /** SWS: each client requests a file of 1 KB {@code requests} times to warm up, then again. */
  Map<String, Double> sws(int clients, int requests) throws Exception {
    Site site = new Site.EqualFiles(1, FILE_BYTES);
    Path folder = Files.createTempDirectory("mely-misses");
    try {
      site.write(folder);
      SwsConfig config = new SwsConfig(folder).port(0);
      try (SwsServer server = SwsServer.start(config, group, TracedChannel.class, allocator);
          LoadClient client =
              new LoadClient(server.address().getPort(), clients, HttpDialogue.of(site))) {
        return counted(() -> (double) client.exchange(requests).getTotalCount());
      }
    } finally {
      MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
    }
  }

  /** Large responses to slow clients: {@code nanos} of warm-up, then the same time again. */
  Map<String, Double> slow(int clients, long nanos) throws Exception {
    Channel server = listen(group, allocator);
    int port = ((InetSocketAddress) server.localAddress()).getPort();
    try (SlowReaders client = new SlowReaders(port, clients)) {
      return counted(() -> (double) client.run(nanos).bytes() / LargeHandler.BYTES);
    } finally {
      server.close().awaitUninterruptibly(TimeUnit.SECONDS.toMillis(END_SECONDS));
    }
  }

  /** Starts to serve large responses. */
  static Channel listen(EventLoopGroup group, ByteBufAllocator allocator) {
    return new ServerBootstrap()
        .group(group)
        .channel(TracedChannel.class)
        .childOption(ChannelOption.SO_SNDBUF, LargeHandler.SEND_BUFFER)
        .childOption(ChannelOption.ALLOCATOR, allocator)
        .childHandler(LargeHandler.INSTANCE)
        .bind(InetAddress.getLoopbackAddress(), 0)
        .syncUninterruptibly()
        .channel();
  }

  /**
   * Counts the accesses of a load, after the same load as warm-up.
   *
   * @param answers loads the server; returns the number of answers, possibly fractional
   */
  private static Map<String, Double> counted(Callable<Double> answers) throws Exception {
    answers.call();
    long[] before = TracedChannel.counts();
    double count = answers.call();
    long[] after = TracedChannel.counts();
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("bytes", (after[0] - before[0]) / count);
    int i = 0;
    for (int parts : MissesCommand.SHARES.keySet()) {
      i++;
      sample.put("misses" + parts, (after[i] - before[i]) / count);
    }
    return sample;
  }

  @Override
  public void close() {
    group
        .shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
  }
}
