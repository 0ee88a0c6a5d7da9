package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** N5, N6: a handler that blocks holds up its own channel, and no other. */
@Timeout(300)
class BlockedCoreTest {
  private volatile CountDownLatch blocked = new CountDownLatch(1);
  private volatile CountDownLatch release = new CountDownLatch(1);

  /** Answers, unless it is told to block first. */
  private class Blocking extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      if (((ByteBuf) message).toString(StandardCharsets.US_ASCII).startsWith("block")) {
        CountDownLatch until = release;
        blocked.countDown();
        until.await();
      }
      ctx.writeAndFlush(message);
    }
  }

  @ParameterizedTest
  @EnumSource
  void channelsOfTheSameCoreGoOnAndNewOnesAreAccepted(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(2).build(), Blocking::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        clients.add(harness.connect());
      }
      Harness.Client first = clients.get(0);
      first.send("block");
      blocked.await();
      int core = Harness.loop(first.peer).color().core();
      int there = 0;
      for (Harness.Client client : clients.subList(1, 8)) {
        there += Harness.loop(client.peer).poller().core() == core ? 1 : 0;
        client.send("alive");
        assertEquals("alive", client.await(5));
      }
      assertTrue(there > 0, "some of them are polled by the blocked core");
      for (int i = 0; i < 4; i++) {
        Harness.Client late = harness.connect();
        late.send("late");
        assertEquals("late", late.await(4));
      }
      release.countDown();
      assertEquals("block", first.await(5));
    }
  }

  /**
   * A channel whose event waits for a busy color is ready all the time, and the core that polls for
   * it is idle: this core must sleep all the same.
   */
  @ParameterizedTest
  @EnumSource
  void anIdleCoreDoesNotSpinOnAChannelThatIsInFlight(Io io) throws Exception {
    MelyEventLoopGroup group = io.builder().cores(2).runtime(Migrating.by(13)).build();
    try (Harness harness = new Harness(group, Blocking::new)) {
      Harness.Client client = null;
      boolean elsewhere = false;
      for (int i = 0; i < 50 && !elsewhere; i++) {
        release.countDown();
        blocked = new CountDownLatch(1);
        release = new CountDownLatch(1);
        client = harness.connect();
        client.send("block");
        blocked.await();
        ColorEventLoop loop = Harness.loop(client.peer);
        elsewhere = loop.color().core() != loop.poller().core();
      }
      assertTrue(elsewhere, "blocks on another core than the one that polls");
      client.send("more"); // readable from now on
      Thread.sleep(50);
      long start = System.nanoTime();
      long before = group.statistics().total().polls();
      Thread.sleep(500);
      long polls = group.statistics().total().polls() - before;
      long millis = (System.nanoTime() - start) / 1_000_000; // a loaded machine sleeps for longer
      assertTrue(polls < 6 * millis, () -> polls + " polls in " + millis + " ms");
      release.countDown();
      assertEquals("blockmore", client.await(9));
      client.send("again"); // re-armed
      assertEquals("again", client.await(5));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aScheduledTaskOfAnotherChannelFires(Io io) throws Exception {
    try (Harness harness = new Harness(io.builder().cores(2).build(), Blocking::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        clients.add(harness.connect());
      }
      clients.get(0).send("block");
      blocked.await();
      for (Harness.Client client : clients.subList(1, 4)) {
        assertTrue(
            client
                .peer
                .eventLoop()
                .schedule(() -> {}, 5, TimeUnit.MILLISECONDS)
                .await(120, TimeUnit.SECONDS));
      }
      release.countDown();
    }
  }

  /** A change of interest is kept while the registration is masked. */
  @ParameterizedTest
  @EnumSource
  void interestThatChangesWhileMaskedIsKept(Io io) throws Exception {
    AtomicInteger reads = new AtomicInteger();
    class OneByOne extends Blocking {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        reads.incrementAndGet();
        super.channelRead(ctx, message);
        ctx.channel().config().setAutoRead(false);
      }
    }
    try (Harness harness = new Harness(io.builder().cores(2).build(), OneByOne::new)) {
      Harness.Client client = harness.connect();
      client.send("block");
      blocked.await();
      Thread.sleep(10); // the first read has ended, "more" is another one
      client.send("more"); // readable: an idle core that polls must mask
      Thread.sleep(100);
      release.countDown();
      assertEquals("block", client.await(5));
      Thread.sleep(100);
      assertEquals(1, reads.get(), "nothing is read that was not asked for");
      client.peer.read();
      assertEquals("more", client.await(4));
    }
  }
}
