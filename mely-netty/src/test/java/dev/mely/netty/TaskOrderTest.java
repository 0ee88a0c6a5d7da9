package dev.mely.netty;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Migrating;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.nio.NioIoOps;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The order in which an event loop runs I/O, tasks, scheduled tasks and tasks for the end of an
 * iteration: what Netty's loop promises, see the contract in {@code docs/netty.md}.
 */
@Timeout(300)
class TaskOrderTest {
  private static final int CONNECTIONS = 20;
  private static final int READS = 40;
  private static final int CHAIN = 8;

  /** The transports, and NIO once more as one that is bound to its thread. */
  enum Loops {
    NIO,
    EPOLL,
    BOUND;

    /**
     * Unless a test says otherwise, I/O waits for tasks even if these are kept off their CPU for
     * long.
     */
    MelyEventLoopGroupBuilder builder() {
      MelyEventLoopGroupBuilder builder = MelyEventLoopGroup.builder();
      return (this == BOUND ? builder.ioHandlerFactory(new BoundNio()) : builder.transport(name()))
          .maxTaskProcessingQuantum(Duration.ofDays(1));
    }
  }

  private static final class BoundNio implements IoHandlerFactory {
    private final IoHandlerFactory nio = NioIoHandler.newFactory();

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      return nio.newHandler(executor);
    }
  }

  /** A read submits a task, that one another, and so on: all of them run before the next read. */
  @ParameterizedTest
  @CsvSource({
    "NIO, false",
    "NIO, true",
    "EPOLL, false",
    "EPOLL, true",
    "BOUND, false",
    "BOUND, true"
  })
  void readsWaitForChainedTasks(Loops loops, boolean migrating) throws Exception {
    MelyEventLoopGroupBuilder builder = loops.builder().cores(2);
    if (migrating) {
      builder.runtime(Migrating.by(1));
    }
    List<Chain> chains = Collections.synchronizedList(new ArrayList<>());
    try (Harness harness =
        new Harness(
            builder.build(),
            () -> {
              Chain chain = new Chain();
              chains.add(chain);
              return chain;
            })) {
      List<Harness.Client> clients = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(harness.connect());
      }
      for (int i = 0; i < READS; i++) {
        clients.forEach(client -> client.send("x"));
      }
      int overtaken = 0;
      for (Chain chain : chains) {
        overtaken += chain.overtaken.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
      assertEquals(0, overtaken, "reads that overtook a task");
    }
  }

  /** It may take its queue for empty while a thief looks at an entry, and puts it back. */
  @Test
  void aCoreThatIsAboutToWaitReadsNothingWhileATaskIsPending() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    ChannelInboundHandlerAdapter acceptor =
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            accepted.incrementAndGet();
            ((Channel) message).close();
          }
        };
    MelyEventLoopGroup group = Loops.BOUND.builder().cores(1).build();
    try (Socket client = new Socket()) {
      Channel server =
          new ServerBootstrap()
              .group(group)
              .channel(NioServerSocketChannel.class)
              .handler(acceptor)
              .childHandler(new ChannelInboundHandlerAdapter())
              .bind(InetAddress.getLoopbackAddress(), 0)
              .sync()
              .channel();
      ColorEventLoop loop = (ColorEventLoop) server.eventLoop();
      int early =
          loop.submit(
                  () -> {
                    client.connect(server.localAddress());
                    loop.execute(() -> {});
                    loop.poller().poll(1_000_000);
                    return accepted.get();
                  })
              .get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertEquals(0, early);
      await().until(() -> accepted.get() == 1);
    } finally {
      group.shutdownGracefully(0, Harness.PATIENCE_SECONDS, TimeUnit.SECONDS).sync();
    }
  }

  /** Submits a chain of tasks with each byte. */
  private static final class Chain extends ChannelInboundHandlerAdapter {
    final CompletableFuture<Integer> overtaken = new CompletableFuture<>();
    private int wrong;
    private int pending;
    private int reads;

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
      readBytes(ctx.channel());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      ((ByteBuf) message).release();
      wrong += pending > 0 ? 1 : 0;
      reads++;
      pending += CHAIN;
      next(ctx.channel().eventLoop(), CHAIN);
    }

    private void next(EventLoop loop, int left) {
      loop.execute(
          () -> {
            pending--;
            if (left > 1) {
              next(loop, left - 1);
            } else if (reads == READS) {
              overtaken.complete(wrong);
            }
          });
    }
  }

  /** Each time the channel is readable, one byte is read. */
  private static void readBytes(Channel channel) {
    channel
        .config()
        .setRecvByteBufAllocator(new FixedRecvByteBufAllocator(1).maxMessagesPerRead(1));
  }

  /**
   * What a read schedules for now runs behind its tasks, before theirs, and before the next read.
   */
  @ParameterizedTest
  @EnumSource(Loops.class)
  void scheduledTasksThatAreDueRunBehindTheTasksOfTheRead(Loops loops) throws Exception {
    assertEquals(
        "(t1 t3 s2 t4 end)".repeat(READS),
        trace(
            loops,
            true,
            (loop, trace) -> {
              trace.add("(t1 ");
              loop.schedule(() -> trace.add("s2 "), 0, TimeUnit.NANOSECONDS);
              loop.execute(
                  () -> {
                    trace.add("t3 ");
                    loop.execute(
                        () -> {
                          trace.add("t4 ");
                          loop.execute(() -> trace.add("end)"));
                        });
                  });
            }));
  }

  /** In a task, nothing that is scheduled runs before what the task and its tasks submit. */
  @ParameterizedTest
  @EnumSource(Loops.class)
  void scheduledTasksWaitForTasks(Loops loops) throws Exception {
    assertEquals(
        ("(" + "x".repeat(CHAIN) + "end)").repeat(READS),
        trace(
            loops,
            false, // the next read would come first, in Netty too
            (loop, trace) ->
                loop.execute(
                    () -> {
                      trace.add("(");
                      loop.schedule(() -> trace.add("end)"), 0, TimeUnit.NANOSECONDS);
                      chain(loop, trace, CHAIN);
                    })));
  }

  /** Tasks that submit each other, with time enough between them for a core to poll. */
  private static void chain(EventLoop loop, List<String> trace, int length) {
    loop.execute(
        () -> {
          busy();
          trace.add("x");
          if (length > 1) {
            chain(loop, trace, length - 1);
          }
        });
  }

  /** Long enough for a timer to fire on the other core. */
  private static void busy() {
    long end = System.nanoTime() + 200_000;
    while (System.nanoTime() < end) {
      Thread.onSpinWait();
    }
  }

  /** A task for the end of the iteration runs when all tasks have, and before the next read. */
  @ParameterizedTest
  @EnumSource(Loops.class)
  void tailTasksRunWhenTasksHaveRun(Loops loops) throws Exception {
    assertEquals(
        "(a b c end)".repeat(READS),
        trace(
            loops,
            true,
            (loop, trace) -> {
              trace.add("(");
              ((SingleThreadEventLoop) loop)
                  .executeAfterEventLoopIteration(() -> trace.add("end)"));
              loop.execute(
                  () -> {
                    trace.add("a ");
                    loop.execute(
                        () -> {
                          trace.add("b ");
                          loop.execute(() -> trace.add("c "));
                        });
                  });
            }));
  }

  /** What a task for the end submits runs before the next read; Netty's loop may read first. */
  @ParameterizedTest
  @EnumSource(Loops.class)
  void whatATailSubmitsRunsBeforeTheNextRead(Loops loops) throws Exception {
    assertEquals(
        "(end)".repeat(READS),
        trace(
            loops,
            true,
            (loop, trace) -> {
              trace.add("(");
              ((SingleThreadEventLoop) loop)
                  .executeAfterEventLoopIteration(() -> loop.execute(() -> trace.add("end)")));
            }));
  }

  /**
   * What a handler notes that does the given work with each byte it reads, until the work of all
   * bytes has ended.
   *
   * @param eager whether bytes are sent while earlier ones are worked off
   */
  private static String trace(Loops loops, boolean eager, BiConsumer<EventLoop, List<String>> work)
      throws Exception {
    List<String> trace = Collections.synchronizedList(new ArrayList<>());
    try (Harness harness =
        new Harness(
            loops.builder().cores(2).build(),
            () ->
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void handlerAdded(ChannelHandlerContext ctx) {
                    readBytes(ctx.channel());
                  }

                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ((ByteBuf) message).release();
                    work.accept(ctx.channel().eventLoop(), trace);
                  }
                })) {
      Harness.Client client = harness.connect();
      for (int i = 1; i <= READS; i++) {
        client.send("x");
        int sent = i;
        if (!eager || sent == READS) {
          Harness.await().until(() -> Collections.frequency(List.copyOf(trace), "end)") == sent);
        }
      }
    }
    return String.join("", trace);
  }

  /** Tasks that never end hold I/O up for their quantum, and no longer. */
  @ParameterizedTest
  @EnumSource(Loops.class)
  void endlessTasksDoNotStarveReads(Loops loops) throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    AtomicInteger ran = new AtomicInteger();
    try (Harness harness =
        new Harness(
            loops.builder().cores(1).maxTaskProcessingQuantum(Duration.ofMillis(20)).build(),
            Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      EventLoop loop = client.peer.eventLoop();
      loop.execute(
          new Runnable() {
            @Override
            public void run() {
              if (!stop.get()) {
                ran.incrementAndGet();
                loop.execute(this);
              }
            }
          });
      Future<?> scheduled = loop.schedule(() -> {}, 1, TimeUnit.MILLISECONDS);
      // Tasks run as well: where the core gets little CPU, only a few in a quantum.
      for (int i = 0; i < 5 || ran.get() <= 1000; i++) {
        client.send("x");
        assertEquals("x", client.await(1));
      }
      scheduled.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      stop.set(true);
    }
  }

  /** With a long quantum they do hold it up: the bound above is what lets the reads through. */
  @Test
  void endlessTasksHoldReadsUpForTheQuantum() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    try (Harness harness =
        new Harness(
            Loops.NIO.builder().cores(1).maxTaskProcessingQuantum(Duration.ofDays(9)).build(),
            Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      EventLoop loop = client.peer.eventLoop();
      CompletableFuture<Integer> steps = new CompletableFuture<>();
      loop.execute(
          new Runnable() {
            private int n;

            @Override
            public void run() {
              if (!stop.get()) {
                if (++n == 100_000) {
                  steps.complete(n);
                }
                loop.execute(this);
              }
            }
          });
      client.send("x");
      steps.get(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
      assertFalse(client.hasRead(), "an answer while tasks ran");
      stop.set(true);
      assertEquals("x", client.await(1));
    }
  }

  /** A task has ended the interest in reads: what was reported before it is not read. */
  @ParameterizedTest
  @EnumSource(Io.class)
  void nothingIsReadWhenNobodyWantsItAnyMore(Io io) throws Exception {
    AtomicInteger reads = new AtomicInteger();
    try (Harness harness =
        new Harness(
            io.builder().cores(1).build(),
            () ->
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ((ByteBuf) message).release();
                    reads.incrementAndGet();
                  }
                })) {
      Harness.Client client = harness.connect();
      ColorEventLoop loop = Harness.loop(client.peer);
      loop.submit(
              () -> {
                // With one core no worker polls while the color runs: the test reports in its
                // place.
                client.send("x").sync();
                loop.execute(() -> client.peer.config().setAutoRead(false));
                report((Registration) loop.loopRegistrations().get(0));
                return null;
              })
          .get();
      loop.submit(() -> {}).get();
      assertThrows(
          TimeoutException.class,
          () -> new CompletableFuture<Void>().get(50, TimeUnit.MILLISECONDS));
      assertEquals(0, reads.get(), "reads after setAutoRead(false)");
      client.peer.config().setAutoRead(true);
      Harness.await().until(() -> reads.get() == 1);
    }
  }

  /** As a poll does with a channel that is readable. */
  private static void report(Registration registration) throws Exception {
    IoEvent readable =
        registration instanceof NioRegistration
            ? (NioIoEvent) () -> NioIoOps.READ
            : (EpollIoEvent) () -> EpollIoOps.EPOLLIN;
    registration
        .poller()
        .section()
        .call(
            () -> {
              registration.handle(registration.target(), readable);
              return null;
            });
  }

  /** A task that is refused does not hold up I/O for ever after. */
  @Test
  void aRefusedTaskIsForgotten() throws Exception {
    try (Harness harness = new Harness(Io.NIO.builder().cores(1).build(), Harness.Echo::new)) {
      Harness.Client client = harness.connect();
      ColorEventLoop loop = Harness.loop(client.peer);
      assertThrows(ExecutionException.class, () -> loop.submit(() -> loop.execute(null)).get());
      loop.submit(
              () -> {
                LoopTask task = new LoopTask(() -> {}, true, true);
                loop.submitted(task);
                assertTrue(loop.waitForTasks(0) != 0, "I/O waits");
                loop.taskHandler().rejected(task);
                assertEquals(0, loop.waitForTasks(0), "I/O need not wait");
                FutureTask<Void> last = new FutureTask<>(() -> null);
                loop.executeTail(last);
                assertTrue(loop.waitForTasks(0) != 0, "I/O waits");
                loop.dropped(new TailTask(() -> {}));
                assertTrue(last.isCancelled());
                assertEquals(0, loop.waitForTasks(0), "I/O need not wait");
                loop.submitted(new TailTask(() -> {})); // the event that is still there ends it
              })
          .get();
    }
  }
}
