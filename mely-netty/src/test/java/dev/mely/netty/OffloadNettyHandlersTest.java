package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.OffloadBed.Kind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.handler.stream.ChunkedStream;
import io.netty.handler.stream.ChunkedWriteHandler;
import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Handlers of Netty's that lean on their pipeline and their channel work off-loaded. */
@Timeout(300)
class OffloadNettyHandlersTest {
  private static final int NUMBERS = 50_000;

  /** Handshake, records in order, {@code close_notify} before the close. */
  @ParameterizedTest
  @EnumSource
  void tlsRunsInside(Kind kind) throws Exception {
    X509Bundle certificate =
        new CertificateBuilder()
            .subject("cn=localhost")
            .setIsCertificateAuthority(true)
            .buildSelfSigned();
    SslContext server = SslContextBuilder.forServer(certificate.toKeyManagerFactory()).build();
    SslContext tls =
        SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE).build();
    OffloadOutboundTest.Numbers numbers = new OffloadOutboundTest.Numbers(NUMBERS);
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel ->
              channel
                  .pipeline()
                  .addLast(bed.offload(Harness.tls(server, channel), new Harness.Echo())));
      Harness.Client client =
          bed.connect(
              bootstrap ->
                  bootstrap.handler(
                      new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                          channel.pipeline().addLast(Harness.tls(tls, channel), numbers);
                        }
                      }));
      for (int sent = 0; sent < NUMBERS; sent += 1000) {
        ByteBuf some = Unpooled.buffer(4000);
        for (int i = sent; i < sent + 1000; i++) {
          some.writeInt(i);
        }
        client.channel.writeAndFlush(some);
      }
      assertTrue(numbers.all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(numbers.faults));
      client.peer.close().sync(); // through the handlers inside
      client.channel.closeFuture().sync();
      bed.assertNoErrors();
    }
  }

  /** It writes as long as the channel is writable: inside, and behind what is off-loaded. */
  @ParameterizedTest
  @CsvSource({
    "NIO, true",
    "NIO, false",
    "EPOLL, true",
    "EPOLL, false",
    "STOCK, true",
    "STOCK, false"
  })
  void aLargeBodyIsWrittenInChunks(Kind kind, boolean inside) throws Exception {
    byte[] body = new byte[4 << 20];
    for (int i = 0; i < body.length / 4; i++) {
      for (int b = 0; b < 4; b++) {
        body[4 * i + b] = (byte) (i >> (24 - 8 * b));
      }
    }
    OffloadOutboundTest.Numbers numbers = new OffloadOutboundTest.Numbers(body.length / 4);
    CountDownLatch written = new CountDownLatch(1);
    ChannelInboundHandlerAdapter answers =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            ((ByteBuf) message).release();
            ctx.writeAndFlush(new ChunkedStream(new ByteArrayInputStream(body)))
                .addListener(done -> written.countDown());
          }
        };
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(
          channel -> {
            if (inside) {
              channel.pipeline().addLast(bed.offload(new ChunkedWriteHandler(), answers));
            } else {
              channel
                  .pipeline()
                  .addLast(
                      bed.offload(new OffloadWitness(channel)), new ChunkedWriteHandler(), answers);
            }
          });
      Harness.Client client = bed.connect(bootstrap -> bootstrap.handler(numbers));
      client.send("go");
      assertTrue(numbers.all.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals(List.of(), List.copyOf(numbers.faults));
      assertTrue(written.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      bed.assertNoErrors();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
