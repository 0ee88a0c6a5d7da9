package dev.mely.examples.kafka;

import dev.mely.Mely;
import dev.mely.examples.service.CoreTable;
import dev.mely.kafka.KafkaColors;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.IntegerDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** What {@link KafkaCommand} runs: a broker if none is given, a source of records, a consumer. */
final class KafkaDemo implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** A broker that has been started here answers, if slowly. */
  private static final Duration LONG_PATIENCE = Duration.ofMinutes(2);

  /** Handlers have noted the columns of a second by then, but those that run for longer. */
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PrintWriter out;
  private final long workNanos;
  private final Mely mely;
  private final Lanes lanes;

  // Volatile: a signal's thread closes.
  private volatile @Nullable Path folder;
  private volatile @Nullable LocalBroker broker;
  private volatile @Nullable RecordSource source;
  private volatile @Nullable KafkaColors consumer;
  private boolean closed;

  KafkaDemo(KafkaCommand options, PrintWriter out) {
    this.out = out;
    this.workNanos = TimeUnit.MILLISECONDS.toNanos(options.work());
    this.mely = Mely.builder().cores(options.cores()).build();
    this.lanes = new Lanes(mely.inspect().cores());
  }

  /**
   * Starts all.
   *
   * @throws Exception if a part cannot start; those that have are ended by {@link #close}
   */
  void begin(KafkaCommand options) throws Exception {
    String address = options.broker();
    if (address == null) {
      say("starting a broker");
      Path files = Files.createTempDirectory("mely-kafka");
      folder = files;
      LocalBroker started = LocalBroker.start(files);
      broker = started;
      address = started.address();
    }
    createTopic(address, options, broker == null ? PATIENCE : LONG_PATIENCE);
    lanes.start();
    consumer =
        KafkaColors.<Integer, String>builder(
                mely,
                Map.of(
                    "bootstrap.servers",
                    address,
                    "group.id",
                    "mely-example",
                    "auto.offset.reset",
                    "earliest",
                    "key.deserializer",
                    IntegerDeserializer.class,
                    "value.deserializer",
                    StringDeserializer.class))
            .topics(options.topic())
            .handler(this::handle)
            .drain(PATIENCE)
            .start();
    source = RecordSource.start(address, options);
    say(
        "broker "
            + address
            + ", topic "
            + options.topic()
            + ", "
            + mely.inspect().cores()
            + " cores");
    say("a letter is a key at work, A the hot one; a second has " + Lanes.COLUMNS + " columns");
  }

  private static void createTopic(String address, KafkaCommand options, Duration patience)
      throws InterruptedException {
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers", address,
            "default.api.timeout.ms", (int) patience.toMillis(),
            "request.timeout.ms", (int) patience.toMillis());
    try (Admin admin = Admin.create(settings)) {
      admin
          .createTopics(List.of(new NewTopic(options.topic(), options.partitions(), (short) 1)))
          .all()
          .get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      if (cause instanceof TimeoutException) {
        throw new IllegalStateException("no broker at " + address);
      }
      if (!(cause instanceof TopicExistsException)) {
        throw new IllegalStateException("no topic", cause);
      }
    }
  }

  /** In the color of the record's key. */
  private void handle(ConsumerRecord<Integer, String> record) {
    long begin = System.nanoTime();
    while (System.nanoTime() - begin < workNanos) {
      Thread.onSpinWait();
    }
    int core = mely.inspect().currentCore();
    lanes.note(core, Lanes.letter(record.key()), begin, System.nanoTime());
  }

  /**
   * Prints lanes and progress every second.
   *
   * @return whether the consumer still runs at the end
   */
  boolean show(int seconds) throws InterruptedException {
    KafkaColors shown = consumer;
    for (long second = 0; shown != null && second < seconds; second++) {
      long due = lanes.begin() + TimeUnit.SECONDS.toNanos(second + 1) + LATE_NANOS;
      try {
        shown.ended().get(due - System.nanoTime(), TimeUnit.NANOSECONDS);
        return false; // a signal has closed it
      } catch (java.util.concurrent.TimeoutException e) {
        print(shown, second);
      } catch (ExecutionException e) {
        say("the consumer has stopped: " + e.getCause());
        return false;
      }
    }
    return true;
  }

  private void print(KafkaColors shown, long second) {
    for (int core = 0; core < mely.inspect().cores(); core++) {
      String time = core == 0 ? (second + 1) + " s" : "";
      out.printf(Locale.ROOT, "%6s  core %-2d |%s|%n", time, core, lanes.lane(core, second));
    }
    RecordSource sending = source;
    long failed = sending == null ? 0 : sending.failed();
    out.println("        " + shown.progress() + (failed == 0 ? "" : ", " + failed + " not sent"));
    out.flush();
  }

  private void say(String line) {
    out.println("kafka: " + line);
    out.flush();
  }

  /** Handles what is pending, and ends all. Does nothing if it is closed. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    RecordSource sending = source;
    if (sending != null) {
      sending.close();
    }
    KafkaColors handling = consumer;
    if (handling != null) {
      handling.close();
      say(handling.progress().toString());
      out.print(CoreTable.format(CoreTable.rows(mely.inspect().statistics())));
      out.flush();
    }
    mely.close();
    LocalBroker started = broker;
    if (started != null) {
      started.close();
    }
    Path files = folder;
    if (files != null) {
      delete(files);
    }
  }

  private static void delete(Path folder) {
    try {
      Utils.delete(folder.toFile());
    } catch (IOException e) {
      return; // it is the system's folder for temporary files
    }
  }
}
