package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Migrating;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Native memory for the arguments of a system call belongs to the core that makes the call, not to
 * the core where the channel is registered: else channels of one core that write on two would mix.
 */
@Timeout(300)
class GatheringWriteTest {
  private static final int PARTS = 50;
  private static final int PART = 100;

  @ParameterizedTest
  @EnumSource
  void channelsOfOneCoreThatWriteOnOthersDoNotMix(Io io) throws Exception {
    AtomicInteger next = new AtomicInteger();
    class Marked extends ChannelInboundHandlerAdapter {
      private final byte mark = (byte) ('A' + next.getAndIncrement());

      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
        for (int i = 0; i < PARTS; i++) {
          ByteBuf part = ctx.alloc().directBuffer(PART);
          byte[] bytes = new byte[PART];
          Arrays.fill(bytes, mark);
          ctx.write(part.writeBytes(bytes), ctx.voidPromise());
        }
        ctx.flush();
      }
    }
    try (Harness harness =
        new Harness(io.builder().cores(4).runtime(Migrating.by(12)).build(), Marked::new)) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        clients.add(harness.connect());
      }
      for (int round = 0; round < 200; round++) {
        for (Harness.Client client : clients) {
          client.send("?");
        }
        for (int i = 0; i < clients.size(); i++) {
          String expected = String.valueOf((char) ('A' + i)).repeat(PARTS * PART);
          assertEquals(expected, clients.get(i).await(PARTS * PART), "round " + round);
        }
      }
    }
  }
}
