package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.annotation.Cost;
import dev.mely.netty.OffloadHandler.MessageHandler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Where and when off-loaded work has its turn. */
@Timeout(300)
class OffloadTurnsTest {
  private static final Queue<Object> SEEN = new ConcurrentLinkedQueue<>();

  /** So long that it is not in a lane of short work. */
  @Cost(nanos = 1_000_000)
  private static final class Notes implements MessageHandler {
    @Override
    public void handle(ChannelHandlerContext ctx, Object message) {
      SEEN.add(message);
    }
  }

  static Stream<Function<MessageHandler, ChannelHandler>> ways() {
    return Stream.of(OffloadHandler::of, handler -> new KeyedHandler(message -> message, handler));
  }

  @Test
  void longWorkBeginsWhereFewerColorsWait() throws Exception {
    CompletableFuture<List<Integer>> chosen = new CompletableFuture<>();
    try (Mely mely = Mely.builder().cores(2).policy(StealPolicy.OFF).build()) {
      mely.execute(
          mely.newColor(0),
          () -> {
            int before = firstCore(mely, Notes.class);
            for (int i = 0; i < 5; i++) {
              mely.execute(mely.newColor(0), () -> {});
            }
            int after = firstCore(mely, Notes.class);
            chosen.complete(List.of(before, after, firstCore(mely, Object.class)));
          });
      assertEquals(List.of(0, 1, 0), chosen.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS));
    }
  }

  private static int firstCore(Mely mely, Class<?> type) {
    return OffloadStep.Runner.of(type).firstCore(mely);
  }

  /** Behind other long work of its core, though it was there before. */
  @ParameterizedTest
  @MethodSource("ways")
  void itGoesLast(Function<MessageHandler, ChannelHandler> way) throws Exception {
    SEEN.clear();
    MelyEventLoopGroup group = Io.NIO.builder().cores(1).build();
    try (Harness harness = new Harness(group, () -> way.apply(new Notes()))) {
      Channel peer = harness.connect().peer;
      // Else the color may wait already, with what opens the channel, which is short.
      peer.eventLoop().submit(() -> peer.pipeline().fireChannelRead("first")).sync();
      Harness.await().until(() -> SEEN.size() == 1);
      SEEN.clear();
      Handler<Object> other = Handler.of(SEEN::add).cost(Duration.ofMillis(1)).penalty(1);
      peer.eventLoop()
          .submit(
              () -> {
                peer.pipeline().fireChannelRead("off-loaded");
                group.mely().register(group.mely().newColor(0), other, "other");
              })
          .sync();
      Harness.await().until(() -> SEEN.size() == 2);
      assertEquals(List.of("other", "off-loaded"), List.copyOf(SEEN));
    }
  }
}
