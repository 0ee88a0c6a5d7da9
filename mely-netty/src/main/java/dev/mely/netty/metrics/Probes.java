package dev.mely.netty.metrics;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.pinning.Unpinned;
import io.micrometer.core.instrument.Timer;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Measures how long each core lets a task wait. Thread-safe. */
final class Probes implements Runnable {
  private final MelyEventLoopGroup group;
  private final long intervalNanos;
  private final List<Probe> probes = new CopyOnWriteArrayList<>();

  /** Guarded by this. */
  private @Nullable ScheduledFuture<?> sending;

  Probes(MelyEventLoopGroup group, Duration interval) {
    this.group = group;
    this.intervalNanos = interval.toNanos();
  }

  void add(EventExecutor core, Timer lag) {
    probes.add(new Probe(core, lag));
  }

  synchronized void start() {
    if (sending == null) {
      sending =
          Unpinned.call( // this may start the executor's thread
              () ->
                  GlobalEventExecutor.INSTANCE.scheduleWithFixedDelay(
                      this, intervalNanos, intervalNanos, TimeUnit.NANOSECONDS));
    }
  }

  synchronized void stop() {
    if (sending != null) {
      sending.cancel(false);
      sending = null;
    }
  }

  @Override
  public void run() {
    if (group.isShuttingDown()) {
      stop(); // one more task would start the quiet period anew
      return;
    }
    probes.forEach(Probe::send);
  }

  private static final class Probe implements Runnable {
    private final EventExecutor core;
    private final Timer lag;
    private final AtomicBoolean underWay = new AtomicBoolean();

    /** Written before the task is queued, which publishes it. */
    private long sent;

    Probe(EventExecutor core, Timer lag) {
      this.core = core;
      this.lag = lag;
    }

    void send() {
      if (underWay.compareAndSet(false, true)) {
        sent = System.nanoTime();
        try {
          core.execute(this);
        } catch (Throwable t) { // shutdown, or no memory: the others are sent
          underWay.set(false);
        }
      }
    }

    @Override
    public void run() {
      try {
        lag.record(System.nanoTime() - sent, TimeUnit.NANOSECONDS);
      } finally {
        underWay.set(false);
      }
    }
  }
}
