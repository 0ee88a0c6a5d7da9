package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.fail;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.Migrating;
import dev.mely.Permissions;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One key is one color: events of all sources that concern it run one at a time. */
@Timeout(300)
class OneKeyTest {
  private static final String KEY = "4711";
  private static final int ROUNDS = 500;
  private static final int SEEDS = 50;

  @Test
  void theGroupsColorsAreTheRuntimes() throws Exception {
    MelyEventLoopGroup group = Io.NIO.builder().cores(2).build();
    try {
      for (Object key : new Object[] {KEY, 4711, 4711L, Duration.ofDays(1)}) {
        Color color = group.mely().color(key);
        assertSame(color, group.color(key));
      }
      Color color = group.mely().color(KEY);
      assertSame(color, ((ColorExecutor) group.executor(KEY)).color());
      assertSame(group.executor(KEY), group.executor(KEY));
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
  }

  @ParameterizedTest
  @EnumSource
  void allSourcesOfAKeyExcludeEachOther(Io io) throws Exception {
    for (long seed = 1; seed <= 3; seed++) {
      assertEquals("", run(io, seed, group -> group::color), "seed " + seed);
    }
  }

  /** The same, where the group has a table of its own for names. */
  @Test
  void aGroupWithColorsOfItsOwnIsFound() throws Exception {
    for (long seed = 1; seed <= SEEDS; seed++) {
      String fault =
          run(
              Io.NIO,
              seed,
              group -> {
                Map<Object, Color> own = new HashMap<>();
                return key -> own.computeIfAbsent(key, k -> group.mely().newColor());
              });
      if (!fault.isEmpty()) {
        System.out.println("caught at seed " + seed + ": " + fault);
        return;
      }
    }
    fail("not caught with " + SEEDS + " seeds");
  }

  /**
   * Sends each source's share of changes to one order.
   *
   * @param colors what stands in for the group's colors
   * @return what was wrong; empty if nothing was
   */
  private static String run(
      Io io, long seed, Function<MelyEventLoopGroup, Function<Object, Color>> colors)
      throws Exception {
    MelyEventLoopGroup group = io.builder().cores(3).runtime(Migrating.by(seed)).build();
    Function<Object, Color> color = colors.apply(group);
    Order order = new Order();
    EventExecutor given = group.executor(color.apply(KEY));
    EventExecutor[] ofHandlers = {group.executor(KEY), given};
    AtomicInteger accepted = new AtomicInteger();
    try (Harness harness =
        new Harness(group, () -> handlerIn(ofHandlers[accepted.getAndIncrement() % 2], order))) {
      Harness.Client one = harness.connect();
      Harness.Client two = harness.connect();
      Mely mely = group.mely();
      Handler<Order> change = Handler.of(Order::change);
      Executor executor = mely.executor(mely.color(KEY));
      EventExecutor several =
          group.executor(Permissions.write(color.apply(KEY), mely.color("stock"))).next();
      EventExecutor reader = group.executor(Permissions.read(color.apply(KEY))).next();
      EventExecutor another = group.executor(Permissions.read(color.apply(KEY))).next();
      for (int i = 0; i < ROUNDS; i++) {
        one.send("+");
        two.send("+");
        mely.register(mely.color(KEY), change, order);
        mely.schedule(mely.color(KEY), change, order, Duration.ofNanos(1_000L * i));
        executor.execute(order::change);
        several.execute(order::change);
        reader.execute(order::look);
        another.execute(order::look);
      }
      Harness.await().until(() -> order.done.get() == 8 * ROUNDS);
      int changes = group.executor(KEY).submit(() -> order.changes).get();
      if (changes != 6 * ROUNDS) {
        order.faults.add(changes + " changes, not " + 6 * ROUNDS);
      }
    }
    return order.faults.stream().limit(3).collect(Collectors.joining("; "));
  }

  @SuppressWarnings("deprecation") // Netty's word for handlers with executors
  private static ChannelHandler handlerIn(EventExecutor executor, Order order) {
    return new ChannelInitializer<Channel>() {
      @Override
      protected void initChannel(Channel channel) {
        channel
            .pipeline()
            .addLast(
                executor,
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ByteBuf bytes = (ByteBuf) message;
                    for (int left = bytes.readableBytes(); left > 0; left--) {
                      order.change();
                    }
                    bytes.release();
                  }
                });
      }
    };
  }

  /** Its plain fields belong to the color of its key. */
  private static final class Order {
    private static final int WRITER = 1 << 16;
    private final AtomicInteger inside = new AtomicInteger();
    final AtomicInteger done = new AtomicInteger();
    final Queue<String> faults = new ConcurrentLinkedQueue<>();
    int changes;

    void change() {
      int others = inside.getAndAdd(WRITER);
      if (others != 0) {
        faults.add("a writer beside " + (others >= WRITER ? "a writer" : "a reader"));
      }
      int before = changes;
      Thread.yield(); // room for another one, were there any
      changes = before + 1;
      inside.getAndAdd(-WRITER);
      done.incrementAndGet();
    }

    void look() {
      if (inside.getAndIncrement() >= WRITER) {
        faults.add("a reader beside a writer");
      }
      int before = changes;
      Thread.yield();
      if (changes != before) {
        faults.add("the order changes under a reader");
      }
      inside.getAndDecrement();
      done.incrementAndGet();
    }
  }

  @AfterAll
  static void noBufferIsLost() throws InterruptedException {
    LeakCounter.assertNoLeaks();
  }
}
