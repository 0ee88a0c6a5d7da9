package dev.mely.bench.cache;

import dev.mely.bench.cache.MissesCommand.Modeled;
import dev.mely.bench.server.Loads;
import dev.mely.bench.sim.SetCache;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server in this process whose buffers are traced, from its start to its end. */
final class TracedServer implements AutoCloseable {
  private static final long END_SECONDS = 10;

  private final Setting setting;
  private final Trace trace;
  private final EventLoopGroup group;
  private final ByteBufAllocator allocator;

  TracedServer(Setting setting, long workingSet, List<SetCache> caches) {
    this.setting = setting;
    trace = new Trace(caches);
    group = setting.start(workingSet);
    allocator = new TracingAllocator(setting.allocator(group), trace);
  }

  /** SWS: so many clients, each with so many requests for a file of 1 KB, after as many. */
  Modeled sws(int clients, int requests) throws Exception {
    try (Loads.Run run = Loads.sws(group, allocator, clients)) {
      return counted(clients + " connections", run, requests);
    }
  }

  /** Large responses to so many slow clients, for a while, after as long. */
  Modeled slow(int clients, long nanos) throws Exception {
    try (Loads.Run run = Loads.slow(group, allocator, clients)) {
      return counted(clients + " readers", run, nanos);
    }
  }

  private Modeled counted(String load, Loads.Run run, long amount) throws Exception {
    run.load(amount);
    long[] before = trace.counts();
    double answers = run.load(amount);
    long[] after = trace.counts();
    List<Double> misses = new ArrayList<>();
    for (int i = 1; i < after.length; i++) {
      misses.add((after[i] - before[i]) / answers);
    }
    return new Modeled(load, setting, (after[0] - before[0]) / answers, misses);
  }

  @Override
  public void close() {
    group
        .shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
        .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
  }
}
