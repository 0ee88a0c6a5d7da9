package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** N2, N5, N6: with every activation on another core, nothing that Netty promises is lost. */
class MigrationTest {
  private static final int CHANNELS = 200;
  private static final int FRAMES = 10_000;
  private static final int WINDOW = 200;

  @ParameterizedTest
  @CsvSource({"NIO, false", "NIO, true", "EPOLL, false", "EPOLL, true"})
  @Timeout(300)
  void framesKeepTheirOrderAndCallbacksExcludeEachOther(Io io, boolean tls) throws Exception {
    Queue<String> faults = new ConcurrentLinkedQueue<>();
    CountDownLatch clientsDone = new CountDownLatch(CHANNELS);
    CountDownLatch serversDone = new CountDownLatch(CHANNELS);
    Queue<SequenceHandler> ends = new ConcurrentLinkedQueue<>();
    SslContext serverTls = null;
    SslContext clientTls = null;
    if (tls) {
      X509Bundle certificate =
          new CertificateBuilder()
              .subject("cn=localhost")
              .setIsCertificateAuthority(true)
              .buildSelfSigned();
      serverTls = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
      clientTls =
          SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE).build();
    }
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(17)).build();
    try {
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(group.serverSocketChannelType())
              .childHandler(
                  initializer(
                      serverTls,
                      () -> new SequenceHandler(false, -1, 0, 0, faults, serversDone::countDown),
                      ends))
              .bind(new InetSocketAddress("127.0.0.1", 0))
              .sync()
              .channel();
      List<Channel> clients = new ArrayList<>();
      for (int i = 0; i < CHANNELS; i++) {
        int number = i;
        clients.add(
            new Bootstrap()
                .group(group)
                .channel(group.socketChannelType())
                .handler(
                    initializer(
                        clientTls,
                        () ->
                            new SequenceHandler(
                                true, number, FRAMES, WINDOW, faults, clientsDone::countDown),
                        ends))
                .connect(server.localAddress())
                .sync()
                .channel());
      }
      boolean finished = clientsDone.await(250, TimeUnit.SECONDS);
      assertEquals(List.of(), List.copyOf(faults));
      assertTrue(finished, () -> clientsDone.getCount() + " channels have not ended");
      for (Channel client : clients) {
        client.close().sync();
      }
      assertTrue(serversDone.await(120, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(faults));
      assertEquals(2 * CHANNELS, ends.size());
      // Not every one: where a single worker gets the CPU for a while, it steals everything.
      long moved = ends.stream().filter(end -> end.threads() > 1).count();
      assertTrue(moved > CHANNELS, () -> moved + " ends have moved of " + ends);
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    assertEquals(0, group.groupState().registrations());
  }

  private static ChannelInitializer<Channel> initializer(
      @Nullable SslContext tls,
      java.util.function.Supplier<SequenceHandler> handler,
      Queue<SequenceHandler> ends) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        if (tls != null) {
          channel.pipeline().addLast(Harness.tls(tls, channel));
        }
        SequenceHandler end = handler.get();
        ends.add(end);
        channel.pipeline().addLast(end);
      }
    };
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
