package dev.mely.netty;

import dev.mely.Migrating;
import dev.mely.Permissions;
import dev.mely.annotation.Access;
import dev.mely.annotation.Color;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A server whose handlers share a ledger: most read it, some change it, some read it and write an
 * audit. A seed determines the colors' cores and the messages. The ledger checks which events
 * overlap, and the handlers check the order of their channel's events.
 */
final class PermissionRun implements AutoCloseable {
  private static final int CHANNELS = 4;
  private static final int MESSAGES = 1_000;
  private static final int BURST = 50;

  private final long seed;
  private final MelyEventLoopGroup group;
  private final Queue<String> faults = new ConcurrentLinkedQueue<>();
  private final Ledger ledger = new Ledger();
  private final Set<EventExecutor> readers = ConcurrentHashMap.newKeySet();
  private final AtomicInteger initialized = new AtomicInteger(1);
  private final AtomicInteger asides = new AtomicInteger();
  private final AtomicInteger expectedAsides = new AtomicInteger();
  private final AtomicInteger expectedChanges = new AtomicInteger();
  private final AtomicInteger told = new AtomicInteger();

  /** Of the color "audit". Plain on purpose: two threads would lose an update. */
  private int audits;

  private PermissionRun(long seed, Io io) {
    this.seed = seed;
    group = io.builder().cores(3).runtime(Migrating.by(seed)).build();
  }

  /**
   * Runs once.
   *
   * @return what was wrong; empty if nothing was
   */
  static String run(long seed, String transport) throws Exception {
    try (PermissionRun run = new PermissionRun(seed, Io.valueOf(transport))) {
      run.run();
      return run.faults.stream().limit(5).collect(Collectors.joining("; "));
    }
  }

  @Override
  public void close() {
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private void run() throws Exception {
    Permissions audit = Permissions.read(group.color("ledger")).andWrite(group.color("audit"));
    List<Answers> ends = new ArrayList<>();
    try (Harness harness =
        Harness.colored(
            group,
            channel -> {
              addTo(channel, audit);
              return new ChannelHandler[0];
            })) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int c = 0; c < CHANNELS; c++) {
        Harness.Client client = harness.connect();
        Answers end = new Answers();
        client.channel.pipeline().replace(client, "frames", new FixedLengthFrameDecoder(4));
        client.channel.pipeline().addLast(end);
        clients.add(client);
        ends.add(end);
      }
      for (int sent = 0; sent < MESSAGES; sent += BURST) {
        for (Harness.Client client : clients) {
          ByteBuf some = Unpooled.buffer(4 * BURST);
          for (int i = sent; i < sent + BURST; i++) {
            some.writeInt(i);
          }
          client.channel.writeAndFlush(some);
        }
      }
      awaitAll(ends);
      if (faults.isEmpty()) {
        count();
      }
    }
  }

  @SuppressWarnings("deprecation") // Netty's word for handlers with executors
  private void addTo(Channel channel, Permissions audit) {
    SplittableRandom random = new SplittableRandom(seed ^ initialized.getAndIncrement());
    ColoredInitializer.colored(channel.pipeline())
        .addLast(new FixedLengthFrameDecoder(4), new Look(random), new Change())
        .addLast(group.executor(audit), new Audit());
  }

  private void awaitAll(List<Answers> ends) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(Harness.PATIENCE_SECONDS);
    while (faults.isEmpty() && !isComplete(ends)) {
      if (System.nanoTime() - deadline > 0) {
        faults.add("lost: " + ends + ", " + asides + " of " + expectedAsides + " asides");
      }
      Thread.sleep(1);
    }
  }

  private boolean isComplete(List<Answers> ends) {
    return ends.stream().allMatch(end -> end.next == MESSAGES)
        && told.get() == CHANNELS * MESSAGES
        && asides.get() == expectedAsides.get();
  }

  private void count() throws Exception {
    int changes = group.executor("ledger").submit(() -> ledger.changes).get();
    expect("changes", expectedChanges.get(), changes);
    expect("audits", CHANNELS * MESSAGES, group.executor("audit").submit(() -> audits).get());
  }

  private void expect(String what, int expected, int found) {
    if (expected != found) {
      faults.add(found + " " + what + ", not " + expected);
    }
  }

  // ---- What is shared

  /** Its fields are plain where the color protects them. */
  private final class Ledger {
    private static final int WRITER = 1 << 16;
    private final AtomicInteger inside = new AtomicInteger();
    int changes;
    private int shadow;

    void look(boolean yields) {
      int others = inside.getAndIncrement();
      if (others >= WRITER) {
        faults.add("a reader beside a writer");
      }
      int before = changes;
      linger(yields);
      if (changes != before || shadow != before) {
        faults.add("the ledger changes under a reader");
      }
      inside.getAndDecrement();
    }

    void change() {
      int others = inside.getAndAdd(WRITER);
      if (others != 0) {
        faults.add("a writer beside " + (others >= WRITER ? "a writer" : "a reader"));
      }
      changes++;
      linger(false);
      shadow++;
      inside.getAndAdd(-WRITER);
    }

    private void linger(boolean yields) {
      if (yields) {
        Thread.yield();
      }
      for (int i = 0; i < 50; i++) {
        Thread.onSpinWait();
      }
    }
  }

  // ---- Handlers

  /** A reader has come. One whose executor is another channel's would run in turn with it. */
  private void enter(ChannelHandlerContext ctx) {
    if (!readers.add(ctx.executor())) {
      faults.add("two channels share an executor");
    }
  }

  /** What each callback checks: that it is inside of its own executor, and of no other. */
  private void check(ChannelHandlerContext ctx, boolean reads) {
    if (!ctx.executor().inEventLoop()) {
      faults.add("outside of the own executor");
    }
    if (ctx.channel().eventLoop().inEventLoop()) {
      faults.add("inside of the channel's loop");
    }
    for (EventExecutor other : readers) {
      if (other != ctx.executor() && other.inEventLoop()) {
        faults.add("inside of another channel's executor");
      }
    }
    if (reads && group.executor("ledger").inEventLoop()) {
      faults.add("a reader is inside of the writers' executor");
    }
  }

  @Color(value = "ledger", access = Access.READ)
  private final class Look extends ChannelDuplexHandler {
    private final SplittableRandom random;
    private int next;
    private int written;

    Look(SplittableRandom random) {
      this.random = random;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      enter(ctx);
      check(ctx, true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf frame = (ByteBuf) message;
      int number = frame.readInt();
      frame.release();
      check(ctx, true);
      if (number != next++) {
        faults.add("message " + number + " came as " + (next - 1));
      }
      ledger.look(random.nextInt(16) == 0);
      switch (random.nextInt(16)) {
        case 0, 1 -> {
          expectedChanges.getAndIncrement();
          ctx.fireUserEventTriggered("change");
        }
        case 2 -> aside(ctx, task -> ctx.executor().execute(task));
        case 3 ->
            aside(
                ctx,
                task ->
                    ctx.executor()
                        .schedule(task, random.nextInt(300), TimeUnit.MICROSECONDS)
                        .addListener(done -> check(ctx, true)));
        case 4 -> aside(ctx, task -> group.mely().executor(task.asked()).execute(task));
        default -> {}
      }
      ctx.fireChannelRead(number);
    }

    private void aside(ChannelHandlerContext ctx, Consumer<Aside> how) {
      expectedAsides.getAndIncrement();
      how.accept(new Aside(ctx));
    }

    /** The answers pass in the order in which they were written. */
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      check(ctx, true);
      ledger.look(false);
      int number = (Integer) message;
      if (number != written++) {
        faults.add("answer " + number + " passes as " + (written - 1));
      }
      ctx.write(Unpooled.buffer(4).writeInt(number), promise);
    }
  }

  /** A look at the ledger beside the messages: as a task, or as an event of the program's own. */
  private final class Aside implements Runnable {
    private final ChannelHandlerContext ctx;

    Aside(ChannelHandlerContext ctx) {
      this.ctx = ctx;
    }

    Permissions asked() {
      return Permissions.read(group.color("ledger"));
    }

    @Override
    public void run() {
      if (group.executor("ledger").inEventLoop() || ctx.channel().eventLoop().inEventLoop()) {
        faults.add("an aside is inside of what it is not");
      }
      ledger.look(false);
      asides.getAndIncrement();
    }
  }

  @Color("ledger")
  private final class Change extends ChannelInboundHandlerAdapter {
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      check(ctx, false);
      ledger.change();
    }
  }

  /** Added with permissions for two colors. */
  private final class Audit extends ChannelInboundHandlerAdapter {
    private int next;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      enter(ctx);
      check(ctx, true);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      check(ctx, true);
      int number = (Integer) message;
      if (number != next++) {
        faults.add("audit of " + number + " came as " + (next - 1));
      }
      ledger.look(false);
      audits++;
      ctx.writeAndFlush(message)
          .addListener(
              future -> {
                check(ctx, true);
                told.getAndIncrement();
                if (!future.isSuccess()) {
                  faults.add("write " + number + ": " + future.cause());
                }
              });
    }
  }

  /** The client's end: the answers must come back in the order of the questions. */
  private final class Answers extends ChannelInboundHandlerAdapter {
    volatile int next;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ByteBuf frame = (ByteBuf) message;
      int number = frame.readInt();
      frame.release();
      int expected = next;
      if (number != expected) {
        faults.add("answer " + number + " came as " + expected);
      }
      next = expected + 1;
    }

    @Override
    public String toString() {
      return next + " answers";
    }
  }
}
