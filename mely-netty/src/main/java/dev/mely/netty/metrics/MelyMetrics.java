package dev.mely.netty.metrics;

import dev.mely.netty.MelyEventLoopGroup;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Iterator;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Meters of an event loop group.
 *
 * <pre>{@code
 * new MelyMetrics(group, Tags.of("group", "http")).bindTo(registry);
 * }</pre>
 *
 * <table>
 * <caption>All but the last two with the tag {@code core}</caption>
 * <tr><td>{@code mely.lag}</td><td>timer: how long a color waits before it runs, sampled</td></tr>
 * <tr><td>{@code mely.colors.waiting}</td><td>gauge: colors that wait for the core</td></tr>
 * <tr><td>{@code mely.busy}</td><td>gauge, 0 to 1: share of the time since the last reading in
 *     which the worker was not parked</td></tr>
 * <tr><td>{@code mely.events}, {@code mely.errors}</td><td>counters: events run, handlers that
 *     threw</td></tr>
 * <tr><td>{@code mely.steals}, {@code mely.stolen.time}</td><td>counters: colors stolen, and the
 *     time of their first batches, in seconds</td></tr>
 * <tr><td>{@code mely.takeovers}</td><td>counter: colors taken from cores stuck in a
 *     handler</td></tr>
 * <tr><td>{@code mely.blocked}</td><td>counter: handlers reported for blocking the core</td></tr>
 * <tr><td>{@code mely.parks}, {@code mely.wakeups}</td><td>counters: times the worker parked,
 *     times it was woken to steal</td></tr>
 * <tr><td>{@code mely.steal.cost}</td><td>gauge, seconds: the estimate of what a steal
 *     costs</td></tr>
 * <tr><td>{@code mely.channels}</td><td>gauge: registered channels</td></tr>
 * </table>
 *
 * <p>Lag is measured by probes: at each interval, one thread submits a task to the fixed event loop
 * of each core, and the task records how long it has waited. Events of channels are not measured
 * and cost nothing more. It is the wait of a color that stays on its core; a color that is stolen
 * waits less. While a probe waits no other is sent, so a core that is stuck shows in the maximum
 * once it is free.
 *
 * <p>Probes end by themselves when the group shuts down. Thread-safe.
 *
 * <p>Micrometer is an optional dependency: name {@code io.micrometer:micrometer-core} in your pom
 * and, in a module, {@code requires micrometer.core}.
 */
@SuppressWarnings("exports") // Micrometer is optional: modules that use it require it
public final class MelyMetrics implements MeterBinder, AutoCloseable {
  private static final Duration PROBE_INTERVAL = Duration.ofSeconds(1);

  private final MelyEventLoopGroup group;
  private final Tags tags;
  private final Readings readings;
  private final Probes probes;

  /**
   * Makes meters that send a probe every second.
   *
   * @param group the group to measure
   * @param tags for all meters, to tell groups apart
   */
  public MelyMetrics(MelyEventLoopGroup group, Iterable<Tag> tags) {
    this(group, tags, PROBE_INTERVAL);
  }

  /**
   * Makes meters.
   *
   * @param group the group to measure
   * @param tags for all meters, to tell groups apart
   * @param probeInterval between two probes of the lag, more than zero
   * @throws IllegalArgumentException if the interval is not positive
   */
  public MelyMetrics(MelyEventLoopGroup group, Iterable<Tag> tags, Duration probeInterval) {
    if (Objects.requireNonNull(probeInterval, "probeInterval").isZero()
        || probeInterval.isNegative()) {
      throw new IllegalArgumentException("probeInterval must be more than zero: " + probeInterval);
    }
    this.group = Objects.requireNonNull(group, "group");
    this.tags = Tags.of(Objects.requireNonNull(tags, "tags"));
    this.readings = new Readings(group);
    this.probes = new Probes(group, probeInterval);
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    int core = 0;
    for (Iterator<EventExecutor> loops = group.iterator(); loops.hasNext(); core++) {
      Tags own = tags.and("core", Integer.toString(core));
      new CoreMeters(registry, group, readings, own, core).bind();
      Timer lag =
          Timer.builder("mely.lag")
              .tags(own)
              .description("How long a color waits before it runs")
              .register(registry);
      probes.add(loops.next(), lag);
    }
    TimeGauge.builder(
            "mely.steal.cost",
            group,
            TimeUnit.NANOSECONDS,
            g -> g.mely().inspect().stealCostNanos())
        .tags(tags)
        .description("What a steal is taken to cost now")
        .register(registry);
    Gauge.builder("mely.channels", group, MelyEventLoopGroup::registeredChannels)
        .tags(tags)
        .description("Registered channels")
        .register(registry);
    probes.start();
  }

  /** Ends the probes. The other meters go on. */
  @Override
  public void close() {
    probes.stop();
  }
}
