package dev.mely.kafka;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/**
 * Meters of a consumer: its {@link Progress}, for Micrometer.
 *
 * <pre>{@code
 * new KafkaColorsMetrics(orders, Tags.of("topic", "orders")).bindTo(registry);
 * }</pre>
 *
 * <table>
 * <caption>Meters</caption>
 * <tr><td>{@code mely.kafka.records}, {@code mely.kafka.skipped}</td><td>counters: records that are
 *     done; received again and known to be done</td></tr>
 * <tr><td>{@code mely.kafka.retries}, {@code mely.kafka.dead.letters}</td><td>counters: attempts
 *     after the first; records in the dead-letter topic</td></tr>
 * <tr><td>{@code mely.kafka.commits}, {@code mely.kafka.failed.commits}</td><td>counters</td></tr>
 * <tr><td>{@code mely.kafka.pending}, {@code mely.kafka.pending.bytes}</td><td>gauges: records that
 *     were received and are not done; bytes of their keys and values</td></tr>
 * <tr><td>{@code mely.kafka.keys}</td><td>gauge: different keys of these</td></tr>
 * <tr><td>{@code mely.kafka.oldest}</td><td>gauge, seconds: how long ago the oldest record was
 *     received that holds up a commit</td></tr>
 * <tr><td>{@code mely.kafka.lag}</td><td>gauge: records of the assigned partitions that have not
 *     been received</td></tr>
 * <tr><td>{@code mely.kafka.partitions}, {@code mely.kafka.paused}</td><td>gauges: assigned
 *     partitions; those of them that are not fetched, since too much is pending</td></tr>
 * </table>
 *
 * <p>Readings are as old as {@link Progress} says, and cost the consumer nothing. Lag of single
 * partitions is a meter of Kafka's clients (Micrometer's {@code KafkaClientMetrics} on the consumer
 * of a program) and in {@link Progress#partitions}. Thread-safe.
 *
 * <p>Micrometer is an optional dependency: name {@code io.micrometer:micrometer-core} in your pom
 * and, in a module, {@code requires micrometer.core}.
 */
@SuppressWarnings("exports") // Micrometer is optional: modules that use it require it
public final class KafkaColorsMetrics implements MeterBinder, AutoCloseable {
  private final ConsumerLoop<?, ?> loop; // meters hold it weakly, its thread does not
  private final Tags tags;
  private final Queue<Runnable> removals = new ConcurrentLinkedQueue<>();

  /**
   * Makes meters.
   *
   * @param consumer what they measure
   * @param tags for all meters, to tell consumers apart
   */
  public KafkaColorsMetrics(KafkaColors consumer, Iterable<Tag> tags) {
    this.loop = Objects.requireNonNull(consumer, "consumer").loop;
    this.tags = Tags.of(Objects.requireNonNull(tags, "tags"));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Objects.requireNonNull(registry, "registry");
    count(registry, "records", "Records that are done", Progress::records);
    count(registry, "skipped", "Received again, known to be done", Progress::skipped);
    count(registry, "retries", "Attempts after the first", Progress::retries);
    count(registry, "dead.letters", "Records in the dead-letter topic", Progress::deadLetters);
    count(registry, "commits", "Commits that have succeeded", Progress::commits);
    count(registry, "failed.commits", "Commits that have not", Progress::failedCommits);
    gauge(registry, "pending", "Received and not done", Progress::pending);
    gauge(registry, "pending.bytes", "Their keys and values", Progress::pendingBytes);
    gauge(registry, "keys", "Different keys of pending records", Progress::liveKeys);
    gauge(registry, "lag", "Records that have not been received", Progress::lag);
    gauge(registry, "partitions", "Assigned partitions", p -> p.partitions().size());
    gauge(registry, "paused", "Partitions that are not fetched", KafkaColorsMetrics::paused);
    Meter oldest =
        TimeGauge.builder(
                "mely.kafka.oldest",
                loop,
                TimeUnit.NANOSECONDS,
                l -> l.progress().oldest().toNanos())
            .tags(tags)
            .description("How long ago the oldest record was received that holds up a commit")
            .register(registry);
    removals.add(() -> registry.remove(oldest));
  }

  private static double paused(Progress progress) {
    return progress.partitions().values().stream().filter(Progress.Partition::paused).count();
  }

  private void count(
      MeterRegistry registry, String name, String description, ToLongFunction<Progress> count) {
    Meter meter =
        FunctionCounter.builder("mely.kafka." + name, loop, l -> count.applyAsLong(l.progress()))
            .tags(tags)
            .description(description)
            .register(registry);
    removals.add(() -> registry.remove(meter));
  }

  private void gauge(
      MeterRegistry registry, String name, String description, ToDoubleFunction<Progress> value) {
    Meter meter =
        Gauge.builder("mely.kafka." + name, loop, l -> value.applyAsDouble(l.progress()))
            .tags(tags)
            .description(description)
            .register(registry);
    removals.add(() -> registry.remove(meter));
  }

  /** Removes the meters, so that those of another consumer may have their names and tags. */
  @Override
  public void close() {
    for (Runnable removal = removals.poll(); removal != null; removal = removals.poll()) {
      removal.run();
    }
  }
}
