package dev.mely.bench.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.config.ConfigResource;

/** A share group (KIP-932): consumers, each with a thread, take records of the same partitions. */
final class ShareConsumers implements Consumption {
  private static final Duration POLL = Duration.ofMillis(100);

  private final RoundSetup setup;
  private final Ledger ledger;
  private final List<Thread> threads;
  private volatile boolean over;

  ShareConsumers(RoundSetup setup, Ledger ledger) throws ExecutionException, InterruptedException {
    this.setup = setup;
    this.ledger = ledger;
    startAtTheBeginning();
    threads = Stream.generate(() -> new Thread(this::loop)).limit(setup.threads()).toList();
    threads.forEach(Thread::start);
  }

  /** A share group begins where the group's settings say, not the consumer's. */
  private void startAtTheBeginning() throws ExecutionException, InterruptedException {
    ConfigEntry earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
    ConfigResource group = new ConfigResource(ConfigResource.Type.GROUP, setup.group());
    try (Admin admin =
        Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, setup.address()))) {
      admin
          .incrementalAlterConfigs(
              Map.of(group, List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET))))
          .all()
          .get();
    }
  }

  private void loop() {
    try (KafkaShareConsumer<Integer, byte[]> consumer =
        new KafkaShareConsumer<>(setup.shareConsumer())) {
      consumer.subscribe(List.of(setup.topic()));
      while (!over) {
        for (ConsumerRecord<Integer, byte[]> record : consumer.poll(POLL)) {
          ledger.handle(record); // the next poll acknowledges it
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts it", e);
    }
  }

  @Override
  public void end() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }
}
