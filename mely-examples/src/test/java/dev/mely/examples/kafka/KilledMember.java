package dev.mely.examples.kafka;

import dev.mely.Mely;
import dev.mely.kafka.KafkaColors;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.IntegerDeserializer;

/**
 * The main class of a process that consumes a topic until it is killed, or leaves its group at
 * SIGTERM. Writes into a {@link Journal} what it does.
 */
final class KilledMember {
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(200);
  private static final Duration DRAIN = Duration.ofMinutes(2);

  /**
   * One record in as many takes a while: so members are killed inside of handlers, and commit while
   * records wait.
   */
  private static final int SLOW = 10;

  private final Journal journal;
  private final int member;

  private KilledMember(Journal journal, int member) {
    this.journal = journal;
    this.member = member;
  }

  /** Arguments: journal, its entries, member, topic; then properties as name=value. */
  public static void main(String[] arguments) throws Exception {
    Journal journal = Journal.open(Path.of(arguments[0]), Integer.parseInt(arguments[1]));
    Map<String, Object> properties = new HashMap<>();
    for (int i = 4; i < arguments.length; i++) {
      String[] pair = arguments[i].split("=", 2);
      properties.put(pair[0], pair[1]);
    }
    new KilledMember(journal, Integer.parseInt(arguments[2])).run(arguments[3], properties);
  }

  private void run(String topic, Map<String, Object> properties) {
    properties.put("key.deserializer", IntegerDeserializer.class);
    properties.put("value.deserializer", ByteArrayDeserializer.class);
    try (Mely mely = Mely.builder().cores(2).build()) {
      KafkaColors colors =
          KafkaColors.<Integer, byte[]>builder(mely, properties)
              .topics(topic)
              .consumer(Watched::new)
              .handler(this::handle)
              .commitInterval(COMMIT_INTERVAL)
              .drain(DRAIN)
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> leave(colors)));
      endWithParent();
      System.out.println("ready");
      colors.ended().join();
    }
  }

  /** Else it would outlive a test that is killed. */
  private static void endWithParent() {
    CompletableFuture<Void> unused =
        ProcessHandle.current()
            .parent()
            .orElseThrow()
            .onExit()
            .thenAccept(parent -> Runtime.getRuntime().halt(1));
  }

  private void handle(ConsumerRecord<Integer, byte[]> record) throws InterruptedException {
    journal.add(Journal.Kind.BEGAN, member, record.partition(), record.offset());
    if (record.offset() % SLOW == 0) {
      Thread.sleep(1);
    }
    journal.add(Journal.Kind.DONE, member, record.partition(), record.offset());
  }

  private void leave(KafkaColors colors) {
    colors.close();
    if (!colors.ended().isCompletedExceptionally()) {
      journal.add(Journal.Kind.LEFT, member);
    }
  }

  /** Notes what takes the bound from the member, see {@link Judge}. */
  private final class Watched extends KafkaConsumer<byte[], byte[]> {
    Watched(Map<String, Object> properties) {
      super(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public void subscribe(Collection<String> topics, ConsumerRebalanceListener listener) {
      super.subscribe(topics, new Listener(listener));
    }

    @Override
    public void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
      try {
        super.commitSync(offsets, timeout);
      } catch (KafkaException e) {
        lost("could not commit " + offsets.keySet(), e);
        throw e;
      }
    }

    @Override
    public Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> partitions) {
      try {
        return super.committed(partitions);
      } catch (KafkaException e) { // it does not know then what its predecessors have done
        lost("could not read the commits of " + partitions, e);
        throw e;
      }
    }
  }

  private void lost(String what, Object why) {
    System.err.println("member " + member + ' ' + what + ": " + why);
    journal.add(Journal.Kind.LOST, member);
  }

  private final class Listener implements ConsumerRebalanceListener {
    private final ConsumerRebalanceListener next;

    Listener(ConsumerRebalanceListener next) {
      this.next = next;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      next.onPartitionsAssigned(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      next.onPartitionsRevoked(partitions);
    }

    @Override
    public void onPartitionsLost(Collection<TopicPartition> partitions) {
      lost("has lost " + partitions, "expelled");
      next.onPartitionsLost(partitions);
    }
  }
}
