package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Handler;
import dev.mely.annotation.Cost;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** B8 for connections of one request: the cost of a new channel is estimated from its siblings. */
@Timeout(300)
class CostPriorTest {
  private static final long HEAVY_NANOS = 10_000_000;

  @Cost(nanos = HEAVY_NANOS)
  static class Heavy extends Harness.Echo {}

  @Test
  void theAverageFollowsWhatIsNoted() {
    CostPrior prior = new CostPrior();
    assertNull(prior.estimate());
    prior.note(8_000);
    assertEquals(Duration.ofNanos(8_000), prior.estimate());
    prior.note(0); // not known
    prior.note(16_000);
    assertEquals(Duration.ofNanos(9_000), prior.estimate());
  }

  @Test
  void aFamilyIsWhatOneListenerAcceptsElseOneClass() {
    CostPriors costPriors = new CostPriors();
    Channel server = new NioServerSocketChannel();
    Channel other = new NioServerSocketChannel();
    Channel accepted = new NioSocketChannel(server, socket());
    Channel client = new NioSocketChannel();
    assertSame(costPriors.of(accepted), costPriors.of(new NioSocketChannel(server, socket())));
    assertNotSame(costPriors.of(accepted), costPriors.of(new NioSocketChannel(other, socket())));
    assertNotSame(costPriors.of(accepted), costPriors.of(client));
    assertSame(costPriors.of(client), costPriors.of(new NioSocketChannel()));
    assertNotSame(costPriors.of(client), costPriors.of(server));
  }

  private static java.nio.channels.SocketChannel socket() {
    try {
      return java.nio.channels.SocketChannel.open();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatOneDeclaresTheNextBeginsWith(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(1).build(), Heavy::new)) {
      Harness.Client first = harness.connect();
      first.send("a");
      first.await(1);
      assertEquals(HEAVY_NANOS, Harness.readyHandler(harness.connect().peer).costNanos());
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsMeasuredOfOneTheNextBeginsWith(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(1).build(), Harness.Echo::new)) {
      assertEquals(0, Harness.readyHandler(harness.connect().peer).costNanos());
      Harness.Client first = harness.connect();
      first.send("a");
      first.await(1);
      first.peer.eventLoop().submit(() -> {}).sync(); // the event that has answered is over
      assertTrue(Harness.readyHandler(harness.connect().peer).costNanos() > 0);
    }
  }

  /**
   * A core is busy, and one of its connections has something to read, for the first time. The idle
   * core steals the connection if it is worth it, and only then: no core ever counts as stuck.
   */
  @ParameterizedTest
  @EnumSource
  void aNewConnectionIsStolenBeforeItHasRunIfItsSiblingsAreHeavy(Io io) throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    class Noting extends Heavy {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        super.channelRead(ctx, message);
        if (ctx.channel() == newcomer) {
          ranOn = Thread.currentThread();
          ran.countDown();
        }
      }
    }
    Supplier<ChannelHandler> handler = Noting::new;
    MelyEventLoopGroup group = io.builder().cores(2).stuckAfter(Duration.ofHours(1)).build();
    try (Harness harness = new Harness(group, handler)) {
      Harness.Client sibling = harness.connect();
      sibling.send("a");
      sibling.await(1);
      Harness.Client client = harness.connect();
      newcomer = client.peer;
      IoPoller home = Harness.loop(newcomer).poller();
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch sent = new CountDownLatch(1);
      CountDownLatch done = new CountDownLatch(1);
      group
          .mely()
          .register(
              group.mely().newPinnedColor(home.core()),
              Handler.of(
                  unused -> {
                    busy.countDown();
                    while (sent.getCount() > 0) { // a core that waits is stuck at once
                      Thread.onSpinWait();
                    }
                    while (Harness.loop(newcomer).pendingTasks() == 0 && ran.getCount() > 0) {
                      home.poll(0); // as the worker would do between two colors
                    }
                    while (done.getCount() > 0) {
                      Thread.onSpinWait();
                    }
                  }),
              "");
      assertTrue(busy.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      // A core that was called and has no CPU yet counts as stuck; this one is past that.
      long takeovers = group.statistics().total().takeovers();
      client.send("b");
      sent.countDown();
      boolean stolen = ran.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      long after = group.statistics().total().takeovers(); // the busy core may help the other one
      done.countDown();
      assertTrue(stolen, "the newcomer waits for its home core");
      assertEquals("b", client.await(1));
      assertNotSame(group.cores().threads().get(home.core()), ranOn);
      assertEquals(takeovers, after);
    }
  }

  private volatile Channel newcomer;
  private volatile Thread ranOn;
}
