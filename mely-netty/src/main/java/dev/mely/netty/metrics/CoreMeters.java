package dev.mely.netty.metrics;

import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.report.Statistics.PerCore;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.function.ToDoubleFunction;

/**
 * Meters of one core. They hold the readings, so that a program need not keep its {@link
 * MelyMetrics}, and the group weakly, so that a registry does not keep it.
 */
record CoreMeters(
    MeterRegistry registry, MelyEventLoopGroup group, Readings readings, Tags tags, int core) {
  void bind() {
    gauge(
        "mely.colors.waiting",
        "Colors that wait for the core",
        readings.each(core, PerCore::colorsWaiting));
    gauge("mely.busy", "Share of the time in which the worker did not wait", readings.busy(core));
    count("mely.events", "Events that were run", PerCore::events);
    count("mely.errors", "Events whose handler threw", PerCore::errors);
    count("mely.steals", "Colors stolen", PerCore::colorsStolen);
    count("mely.takeovers", "Taken from stuck cores", PerCore::takeovers);
    count("mely.blocked", "Blocking handlers", PerCore::blockedHandlers);
    count("mely.parks", "Times the worker went to wait", PerCore::parks);
    count("mely.wakeups", "Times it was called to steal", PerCore::wakeups);
    FunctionCounter.builder(
            "mely.stolen.time", group, readings.each(core, c -> c.stolenNanos() / 1e9))
        .tags(tags)
        .baseUnit("seconds")
        .description("Time spent in the first batch of stolen colors")
        .register(registry);
  }

  private void gauge(String name, String description, ToDoubleFunction<MelyEventLoopGroup> value) {
    Gauge.builder(name, group, value).tags(tags).description(description).register(registry);
  }

  private void count(String name, String description, ToDoubleFunction<PerCore> count) {
    FunctionCounter.builder(name, group, readings.each(core, count))
        .tags(tags)
        .description(description)
        .register(registry);
  }
}
