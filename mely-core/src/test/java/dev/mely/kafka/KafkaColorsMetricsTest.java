package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.Test;

class KafkaColorsMetricsTest extends ConsumerBed {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void metersShowTheProgress() throws Exception {
    Gate gate = new Gate();
    group.send(0, "a", "done");
    group.send(0, "b", "pending");
    group.send(0, "b", "behind");
    start(
        builder()
            .handler(
                record -> {
                  if (record.key().equals("b")) {
                    gate.pass();
                  }
                  note(record);
                }));
    KafkaColorsMetrics metrics = new KafkaColorsMetrics(consumer, Tags.of("topic", "orders"));
    metrics.bindTo(registry);
    until(() -> value("mely.kafka.records") == 1 && value("mely.kafka.pending") == 2);
    until(() -> value("mely.kafka.commits") > 0 && value("mely.kafka.oldest") > 0);
    assertEquals(1, value("mely.kafka.keys"));
    assertEquals(("b" + "pending" + "b" + "behind").length(), value("mely.kafka.pending.bytes"));
    assertEquals(2, value("mely.kafka.partitions"));
    for (String none : List.of("lag", "paused", "skipped", "retries", "dead.letters")) {
      assertEquals(0, value("mely.kafka." + none), none);
    }
    gate.open();
    until(() -> value("mely.kafka.records") == 3 && value("mely.kafka.oldest") == 0);
    metrics.close();
    assertEquals(List.of(), registry.getMeters());
  }

  @Test
  void countersAreToldApart() throws Exception {
    DoneRuns beyond = new DoneRuns();
    beyond.add(1, 4);
    group.commit(0, new OffsetAndMetadata(0, beyond.encode(0)));
    done.addAll(List.of("0:0", "0:1", "0:2", "0:3"));
    for (String value : List.of("bad", "1", "2", "3", "good")) {
      group.send(0, "a", value);
    }
    start(
        builder()
            .deadLetters()
            .producer(() -> producer)
            .handler(
                record -> {
                  if (record.value().equals("bad")) {
                    throw new Exception("planted");
                  }
                  note(record);
                }));
    new KafkaColorsMetrics(consumer, Tags.of("topic", "orders")).bindTo(registry);
    until(() -> value("mely.kafka.records") == 2 && value("mely.kafka.pending") == 0);
    assertEquals(3, value("mely.kafka.skipped"));
    assertEquals(2, value("mely.kafka.retries"));
    assertEquals(1, value("mely.kafka.dead.letters"));
    assertEquals(0, value("mely.kafka.failed.commits"));
    until(() -> value("mely.kafka.commits") > 0);
  }

  private double value(String name) {
    return registry.get(name).tag("topic", "orders").meter().measure().iterator().next().getValue();
  }
}
