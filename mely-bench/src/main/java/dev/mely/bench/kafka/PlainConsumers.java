package dev.mely.bench.kafka;

import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** What Kafka's documentation shows: handle what a poll has returned, then poll again. */
final class PlainConsumers implements Consumption {
  private final List<PollLoop> loops;

  PlainConsumers(RoundSetup setup, Ledger ledger, int consumers) {
    loops = Stream.generate(() -> new Plain(setup, ledger).start()).limit(consumers).toList();
  }

  private static final class Plain extends PollLoop {
    private final Ledger ledger;

    Plain(RoundSetup setup, Ledger ledger) {
      super(setup);
      this.ledger = ledger;
    }

    @Override
    void take(ConsumerRecords<Integer, byte[]> records) throws InterruptedException {
      for (ConsumerRecord<Integer, byte[]> record : records) {
        ledger.handle(record);
      }
    }

    @Override
    void commit(KafkaConsumer<Integer, byte[]> consumer, boolean last) {
      if (last) {
        consumer.commitSync();
      } else {
        consumer.commitAsync();
      }
    }
  }

  @Override
  public void end() throws InterruptedException {
    loops.forEach(PollLoop::stop); // all at once: else one gets the partitions of another
    for (PollLoop loop : loops) {
      loop.end();
    }
  }
}
