package dev.mely.netty;

import static dev.mely.netty.OffloadBed.inLoop;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.netty.OffloadBed.Kind;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Initializers among off-loaded handlers. */
@Timeout(300)
class OffloadInitializerTest {
  /** Adds a handler that takes notes, and shows it. */
  private static ChannelInitializer<Channel> adding(Queue<OffloadWitness> witnesses, Channel real) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel inner) {
        OffloadWitness witness = new OffloadWitness(real);
        witnesses.add(witness);
        inner.pipeline().addLast(witness);
      }
    };
  }

  @ParameterizedTest
  @EnumSource
  void anInitializerInsideAddsHandlers(Kind kind) throws Exception {
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    try (OffloadBed bed = new OffloadBed(kind)) {
      bed.serve(channel -> channel.pipeline().addLast(bed.offload(adding(witnesses, channel))));
      Harness.Client client = bed.connect();
      OffloadHandlerTest.fire(client.peer, "a");
      Harness.await().until(() -> witnesses.size() == 1);
      OffloadWitness witness = witnesses.remove();
      witness.expect("added", "registered", "active", "read a", "complete");
      // Late, too.
      inLoop(
          client.peer,
          pipeline -> {
            pipeline.addLast(bed.offload(adding(witnesses, client.peer)));
          });
      OffloadHandlerTest.fire(client.peer, "b");
      Harness.await().until(() -> witnesses.size() == 1);
      witnesses.element().expect("added", "read b", "complete");
      client.channel.close().sync();
      witness.skipTo("removed");
      witnesses.element().expect("inactive", "unregistered", "removed");
      assertEquals(1, witnesses.size());
    }
  }

  /** The color is busy all the time: when it comes to the handlers, the channel has gone. */
  @ParameterizedTest
  @EnumSource(names = {"NIO", "EPOLL", "BOUNDED", "STOCK"})
  void whatHasComeBeforeAnEarlyCloseIsHandled(Kind kind) throws Exception {
    Queue<OffloadWitness> witnesses = new ConcurrentLinkedQueue<>();
    CountDownLatch entered = new CountDownLatch(1);
    CountDownLatch open = new CountDownLatch(1);
    try (OffloadBed bed = new OffloadBed(kind)) {
      Color color = bed.mely.newColor();
      bed.mely.execute(
          color,
          () -> {
            entered.countDown();
            try {
              assertTrue(open.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
      assertTrue(entered.await(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
      bed.serve(channel -> {});
      Harness.Client client = bed.connect();
      OffloadHandler late = bed.offload(adding(witnesses, client.peer));
      inLoop(
          client.peer,
          pipeline -> {
            pipeline.addLast(late.in(color));
            pipeline.fireChannelRead("a");
            pipeline.context(late).close(); // not through the color, which is busy
          });
      Harness.await().until(() -> !client.peer.isRegistered());
      open.countDown();
      Harness.await().until(() -> witnesses.size() == 1);
      OffloadWitness witness = witnesses.remove();
      witness.expect("added", "read a", "inactive", "unregistered", "removed");
      bed.assertNoErrors();
    }
  }
}
