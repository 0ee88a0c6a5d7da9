package dev.mely.bench.server;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.StingyAllocator;
import dev.mely.netty.StingyAllocator.Core;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Samples the memory use of this process every few milliseconds. */
final class FootprintWatch {
  private static final long EVERY_MILLIS = 5;

  private final LongSupplier direct;
  private final LongSupplier live;

  // Guarded by this.
  private long mostDirect;
  private long mostLive;
  private long pauses;
  private long pauseMillis;

  private FootprintWatch(LongSupplier direct, LongSupplier live) {
    this.direct = direct;
    this.live = live;
    Thread thread = new Thread(this::watch, "footprint");
    thread.setDaemon(true);
    thread.start();
  }

  /** Watches the buffers of a group's channels. */
  static FootprintWatch of(EventLoopGroup group, int cores) {
    StingyAllocator counting = group instanceof MelyEventLoopGroup mely ? mely.allocator() : null;
    ByteBufAllocator used = counting != null ? counting : ByteBufAllocator.DEFAULT;
    LongSupplier direct =
        used instanceof ByteBufAllocatorMetricProvider provider
            ? () -> provider.metric().usedDirectMemory()
            : () -> 0;
    LongSupplier live = () -> 0;
    if (counting != null) {
      live = () -> counting.cores().stream().mapToLong(Core::liveBytes).max().orElse(0);
    } else if (used instanceof PooledByteBufAllocator pooled) {
      live = () -> pooled.pinnedDirectMemory() / cores;
    }
    return new FootprintWatch(direct, live);
  }

  /** Watches direct buffers of the JDK. */
  static FootprintWatch ofJdk() {
    BufferPoolMXBean pool =
        ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter(bean -> bean.getName().equals("direct"))
            .findFirst()
            .orElseThrow();
    return new FootprintWatch(pool::getMemoryUsed, () -> 0);
  }

  private void watch() {
    try {
      while (true) {
        look();
        TimeUnit.MILLISECONDS.sleep(EVERY_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void look() {
    mostDirect = Math.max(mostDirect, direct.getAsLong());
    mostLive = Math.max(mostLive, live.getAsLong());
  }

  /** Returns the footprint since the last call. */
  synchronized Footprint sinceLast() {
    look();
    long pausesNow = 0;
    long millisNow = 0;
    for (GarbageCollectorMXBean bean : ManagementFactory.getGarbageCollectorMXBeans()) {
      pausesNow += Math.max(0, bean.getCollectionCount());
      millisNow += Math.max(0, bean.getCollectionTime());
    }
    Footprint footprint =
        new Footprint(mostDirect, mostLive, pausesNow - pauses, millisNow - pauseMillis);
    mostDirect = 0;
    mostLive = 0;
    pauses = pausesNow;
    pauseMillis = millisNow;
    return footprint;
  }
}
