package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;

/**
 * Prints how many bytes of heap a registered channel takes on Netty's own group and on Mely's, and
 * what Netty's superclass of event loops takes by itself.
 */
public final class ConnectionBytes {
  private static final int CHANNELS = 4_000;

  private ConnectionBytes() {}

  public static void main(String[] args) throws Exception {
    for (int round = 0; round < 2; round++) { // the first one loads classes and fills caches
      System.out.println("stock " + perChannel(stock()));
      System.out.println("mely " + perChannel(MelyEventLoopGroup.builder().cores(2).build()));
      System.out.println("loop " + perLoop());
    }
  }

  /** An event loop of Netty's for each channel, without anything of Mely. */
  private static final class BareLoop extends SingleThreadEventLoop {
    private static final Queue<Runnable> NONE = new ConcurrentLinkedQueue<>();

    BareLoop() {
      super(null, task -> {}, true, 16, RejectedExecutionHandlers.reject());
    }

    @Override
    protected Queue<Runnable> newTaskQueue(int maxPendingTasks) {
      return NONE;
    }

    @Override
    protected void run() {}
  }

  private static long perLoop() throws Exception {
    long before = settledBytes();
    List<Object> loops = new ArrayList<>(CHANNELS);
    for (int i = 0; i < CHANNELS; i++) {
      loops.add(new BareLoop());
    }
    long after = liveBytes();
    Reference.reachabilityFence(loops);
    return Math.round((after - before) / (double) CHANNELS);
  }

  private static EventLoopGroup stock() {
    return new MultiThreadIoEventLoopGroup(2, NioIoHandler.newFactory());
  }

  /**
   * Each channel is registered as one that was accepted, and has had a scheduled task and another
   * one.
   */
  private static long perChannel(EventLoopGroup group) throws Exception {
    long before = settledBytes();
    List<Channel> channels = new ArrayList<>(CHANNELS);
    Channel parent = new NioServerSocketChannel();
    for (int i = 0; i < CHANNELS; i++) {
      NioSocketChannel channel = new NioSocketChannel(parent, SocketChannel.open());
      group.register(channel).sync();
      channel.eventLoop().schedule(() -> {}, 1, TimeUnit.NANOSECONDS).sync();
      channel.eventLoop().submit(() -> {}).sync();
      channels.add(channel);
    }
    long after = liveBytes();
    for (Channel channel : channels) {
      channel.close().sync();
    }
    parent.unsafe().closeForcibly();
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    return Math.round((after - before) / (double) CHANNELS);
  }

  /** The same once it has settled: threads that end free their objects later. */
  private static long settledBytes() throws Exception {
    long last = liveBytes();
    for (int i = 0; i < 50; i++) {
      Thread.sleep(20);
      long now = liveBytes();
      if (Math.abs(now - last) < CHANNELS) {
        return now; // less than a byte for each
      }
      last = now;
    }
    return last;
  }

  /** The heap that is in use, after a full collection, without what fills its gaps. */
  private static long liveBytes() throws Exception {
    String histogram =
        (String)
            ManagementFactory.getPlatformMBeanServer()
                .invoke(
                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                    "gcClassHistogram",
                    new Object[] {new String[0]},
                    new String[] {String[].class.getName()});
    return histogram
        .lines()
        .map(line -> line.strip().split("\\s+")) // "1: <instances> <bytes> <class>"
        .filter(words -> words[0].endsWith(":") && !words[3].contains("jdk.internal.vm.Filler"))
        .mapToLong(words -> Long.parseLong(words[2]))
        .sum();
  }
}
