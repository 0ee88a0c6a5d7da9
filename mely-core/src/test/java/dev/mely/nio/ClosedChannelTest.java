package dev.mely.nio;

import static dev.mely.nio.Rig.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.StealPolicy;
import java.nio.channels.DatagramChannel;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A channel that is closed under its source, here or elsewhere, is given up at once. */
@Timeout(300)
class ClosedChannelTest {
  @AutoClose private final TestPipe pipe = new TestPipe();

  /** A handler on another core closes the channel while the home core's selector sleeps. */
  @Test
  void channelClosedWhereItsColorRunsIsGivenUp() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")))) {
      long before = Rig.descriptors();
      for (int i = 0; i < 20; i++) {
        DatagramChannel channel = DatagramChannel.open();
        channel.configureBlocking(false);
        rig.nio.readable(channel, rig.mely().newColor(0), Handler.of(e -> {}), "home is core 0");
        Handler<DatagramChannel> close = Handler.of(DatagramChannel::close);
        rig.nio.writable(channel, rig.mely().newPinnedColor(1), close, channel).resume();
      }
      await().until(() -> Rig.descriptors() <= before);
    }
  }

  @Test
  void closeWakesTheSelectorThatSleeps() throws Exception {
    try (Rig rig = new Rig(2, b -> b.policy(StealPolicy.parse("off")))) {
      long before = Rig.descriptors();
      for (int i = 0; i < 20; i++) {
        DatagramChannel channel = DatagramChannel.open();
        channel.configureBlocking(false);
        Color color = rig.mely().newColor(i % 2);
        Source source = rig.nio.readable(channel, color, Handler.of(e -> {}), "event").resume();
        rig.pollAtLeastOnce(color);
        rig.nio.close(channel);
        rig.nio.close(channel);
        assertTrue(source.isCancelled());
        await().until(() -> Rig.descriptors() <= before);
      }
    }
  }

  /** The event waits for its color while the channel is closed: the handler is spared. */
  @Test
  void eventOfAClosedChannelDoesNotRun() throws Exception {
    try (Rig rig = new Rig(2)) {
      AtomicInteger events = new AtomicInteger();
      Color color = rig.mely().newColor(0);
      CountDownLatch started = new CountDownLatch(1);
      CountDownLatch go = new CountDownLatch(1);
      rig.nio.readable(pipe.in, color, Handler.of(e -> events.incrementAndGet()), "event").resume();
      rig.mely()
          .register(
              color,
              Handler.of(
                  e -> {
                    started.countDown();
                    go.await();
                  }),
              "busy");
      started.await();
      pipe.write(1);
      // The other core polls for the one that is stuck, and posts.
      await().until(() -> rig.mely().inspect().statistics().total().polls() > 0);
      rig.nio.close(pipe.in);
      go.countDown();
      rig.pollAtLeastOnce(color);
      assertEquals(0, events.get());
    }
  }
}
