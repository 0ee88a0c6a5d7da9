package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.uring.IoUring;
import io.netty.channel.uring.IoUringServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * N1: on io_uring a channel stays with the thread of its ring. A kernel may forbid io_uring: then
 * the same runs on NIO, and the output says so.
 */
@Timeout(300)
class IoUringTest {
  @Test
  void channelsAreServedOnOneThreadEach() throws Exception {
    Map<Channel, Set<Thread>> threads = new ConcurrentHashMap<>();
    class Tracking extends Harness.Echo {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        threads
            .computeIfAbsent(ctx.channel(), c -> ConcurrentHashMap.newKeySet())
            .add(Thread.currentThread());
        if (((ByteBuf) message).toString(StandardCharsets.US_ASCII).equals("task")) {
          ctx.channel()
              .eventLoop()
              .execute(() -> threads.get(ctx.channel()).add(Thread.currentThread()));
        }
        super.channelRead(ctx, message);
      }
    }
    boolean permitted = IoUring.isAvailable();
    System.out.println(
        "io_uring: " + (permitted ? "permitted" : "refused, " + IoUring.unavailabilityCause()));
    if (!permitted) {
      Throwable refused =
          assertThrows(
              IllegalArgumentException.class,
              () -> MelyEventLoopGroup.builder().transport("io_uring"));
      assertSame(IoUring.unavailabilityCause(), refused.getCause());
      return;
    }
    MelyEventLoopGroup group =
        MelyEventLoopGroup.builder()
            .transport("io_uring")
            .cores(2)
            .runtime(Migrating.by(21))
            .build();
    assertSame(IoUringServerSocketChannel.class, group.serverSocketChannelType());
    try (Harness harness = new Harness(group, Tracking::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        clients.add(harness.connect());
      }
      for (int round = 0; round < 50; round++) {
        for (Harness.Client client : clients) {
          client.send("task");
          assertEquals("task", client.await(4));
        }
      }
      for (Harness.Client client : clients) {
        assertEquals(1, threads.get(client.peer).size(), "threads of " + client.peer);
      }
      assertEquals(2, threads.values().stream().flatMap(Set::stream).distinct().count());
    }
    assertEquals(0, group.groupState().registrations());
  }
}
