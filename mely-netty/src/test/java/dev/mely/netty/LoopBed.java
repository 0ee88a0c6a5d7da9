package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs many {@link LoopProgram}s at once on a group, each over a connection of its own, both ends
 * on the group.
 */
final class LoopBed implements AutoCloseable {
  /** What a program did that the contract does not allow. */
  record Failure(LoopProgram program, List<String> faults, String traces) {
    @Override
    public String toString() {
      return String.join("\n", faults) + "\n" + program + "\n" + traces;
    }
  }

  private static final int AT_ONCE = 64;
  private static final int SHARED_LOOPS = 4;
  private static final RecvByteBufAllocator BYTES =
      new FixedRecvByteBufAllocator(1).maxMessagesPerRead(1);

  /** For loops with faults, which lose buffers: not tracked by the leak detector. */
  private static final ByteBufAllocator UNTRACKED = new UnpooledByteBufAllocator(false, true);

  private final EventLoopGroup group;
  private final long patienceNanos;
  private final @Nullable Supplier<ChannelHandler> below;
  private final List<Bootstrap> clients = new ArrayList<>();
  private final List<Channel> servers = new ArrayList<>();

  /** The ends that were accepted, by the ports of the connection. */
  private final Map<Integer, CompletableFuture<LoopEnd>> accepted = new ConcurrentHashMap<>();

  private final Map<EventLoop, AtomicReference<Thread>> runners = new ConcurrentHashMap<>();
  private final ExecutorService outside =
      Executors.newFixedThreadPool(2, new DefaultThreadFactory(LoopRun.OUTSIDE, true));
  private int next;

  /**
   * Starts servers.
   *
   * @param group of a transport
   * @param io the transport
   * @param shared whether both ends of a connection, and those of others, share an event loop
   * @param sound whether no buffer may be lost
   * @param patience seconds that a program may take
   * @param below makes a handler between the transport and the handler of a program; or null
   */
  LoopBed(
      EventLoopGroup group,
      Io io,
      boolean shared,
      boolean sound,
      int patience,
      @Nullable Supplier<ChannelHandler> below)
      throws InterruptedException {
    this.group = group;
    this.patienceNanos = TimeUnit.SECONDS.toNanos(patience);
    this.below = below;
    ByteBufAllocator buffers = sound ? ByteBufAllocator.DEFAULT : UNTRACKED;
    for (int i = 0; i < (shared ? SHARED_LOOPS : 1); i++) {
      EventLoopGroup ends = shared ? group.next() : group;
      servers.add(
          new ServerBootstrap()
              .group(group, ends)
              .channel(io == Io.NIO ? NioServerSocketChannel.class : EpollServerSocketChannel.class)
              .option(ChannelOption.SO_BACKLOG, 1024)
              .childOption(ChannelOption.RECVBUF_ALLOCATOR, BYTES)
              .childOption(ChannelOption.ALLOCATOR, buffers)
              .childHandler(
                  new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                      LoopEnd end = addEnd(channel);
                      int key = key(channel.localAddress(), channel.remoteAddress());
                      end.connected.thenAccept(unused -> accepted(key).complete(end));
                    }
                  })
              .bind(new InetSocketAddress("127.0.0.1", 0))
              .sync()
              .channel());
      clients.add(
          new Bootstrap()
              .group(ends)
              .channel(io == Io.NIO ? NioSocketChannel.class : EpollSocketChannel.class)
              .option(ChannelOption.RECVBUF_ALLOCATOR, BYTES)
              .option(ChannelOption.ALLOCATOR, buffers));
    }
  }

  private LoopEnd addEnd(Channel channel) {
    LoopEnd end = new LoopEnd(channel);
    if (below != null) {
      channel.pipeline().addLast(below.get());
    }
    channel.pipeline().addLast(end);
    return end;
  }

  private static int key(SocketAddress server, SocketAddress client) {
    return ((InetSocketAddress) server).getPort() << 16 | ((InetSocketAddress) client).getPort();
  }

  private CompletableFuture<LoopEnd> accepted(int key) {
    return accepted.computeIfAbsent(key, unused -> new CompletableFuture<>());
  }

  /** A connection, and the program on it once it is there. */
  private CompletableFuture<LoopRun> start(LoopProgram program) {
    int at = next++ % clients.size();
    CompletableFuture<LoopEnd> connected = new CompletableFuture<>();
    clients
        .get(at)
        .clone()
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                addEnd(channel).connected.thenAccept(connected::complete);
              }
            })
        .connect(servers.get(at).localAddress())
        .addListener(
            future -> {
              if (!future.isSuccess()) {
                connected.completeExceptionally(future.cause());
              }
            });
    CompletableFuture<LoopRun> started = new CompletableFuture<>();
    connected
        .thenAccept(
            client -> {
              Channel channel = client.channel();
              int key = key(channel.remoteAddress(), channel.localAddress());
              accepted(key)
                  .thenAcceptAsync(
                      child -> {
                        accepted.remove(key);
                        LoopEnd[] ends = {client, child};
                        LoopRun run = new LoopRun(program, ends, this::runner);
                        started.complete(run);
                        run.start();
                      },
                      outside);
            })
        .exceptionally(
            cause -> {
              started.completeExceptionally(cause);
              return null;
            });
    return started;
  }

  private AtomicReference<Thread> runner(EventLoop loop) {
    return runners.computeIfAbsent(loop, unused -> new AtomicReference<>());
  }

  /**
   * Runs programs until there are no more, or some have failed.
   *
   * @param enough failures
   */
  List<Failure> run(Iterator<LoopProgram> programs, int enough) {
    List<Failure> failures = new ArrayList<>();
    List<CompletableFuture<LoopRun>> active = new ArrayList<>();
    long lastStep = System.nanoTime();
    while (failures.size() < enough && (programs.hasNext() || !active.isEmpty())) {
      while (active.size() < AT_ONCE && programs.hasNext()) {
        active.add(start(programs.next()));
      }
      for (Iterator<CompletableFuture<LoopRun>> all = active.iterator(); all.hasNext(); ) {
        LoopRun run = all.next().getNow(null);
        if (run == null) {
          continue;
        }
        boolean ended = run.hasEnded();
        if (ended || run.isFaulty() || run.isOlderThan(patienceNanos)) {
          all.remove();
          lastStep = System.nanoTime();
          List<String> faults = run.faults(ended);
          if (!faults.isEmpty()) {
            failures.add(new Failure(run.program, faults, run.traces()));
          }
        }
      }
      if (System.nanoTime() - lastStep > 2 * patienceNanos) {
        throw new AssertionError(active.size() + " programs do not start");
      }
      LockSupport.parkNanos(200_000);
    }
    return failures;
  }

  /**
   * Leaves out steps of a program that fails as long as it still fails, and returns the smallest
   * one; threads do not always do the same again.
   */
  Failure shrink(Failure failure, int repetitions, long maxNanos) {
    long end = System.nanoTime() + maxNanos;
    Failure smallest = failure;
    boolean smaller = true;
    while (smaller) {
      smaller = false;
      for (LoopProgram candidate : smallest.program().smaller()) {
        if (System.nanoTime() > end) {
          return smallest;
        }
        List<Failure> failures = run(Collections.nCopies(repetitions, candidate).iterator(), 1);
        if (!failures.isEmpty()) {
          smallest = failures.get(0);
          smaller = true;
          break;
        }
      }
    }
    return smallest;
  }

  @Override
  public void close() {
    outside.shutdownNow();
    Harness.await().until(outside::isTerminated); // or it would talk to a group that is gone
    group.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
