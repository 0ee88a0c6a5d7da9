package dev.mely.bench.kafka;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** What Kafka's documentation shows: handle what a poll has returned, then poll again. */
final class PlainConsumers implements Consumption {
  private final List<PollLoop> loops;

  private PlainConsumers(Stream<Plain> consumers) {
    loops = consumers.map(PollLoop::start).toList();
  }

  /** One consumer. */
  static Consumption one(RoundSetup setup, Ledger ledger) {
    return new PlainConsumers(Stream.of(new Plain(setup, ledger)));
  }

  /** A consumer for each partition. */
  static Consumption ofPartitions(RoundSetup setup, Ledger ledger) {
    return new PlainConsumers(
        IntStream.range(0, setup.partitions())
            .mapToObj(partition -> new Plain(setup, ledger, partition)));
  }

  private static final class Plain extends PollLoop {
    private final Ledger ledger;

    Plain(RoundSetup setup, Ledger ledger) {
      super(setup);
      this.ledger = ledger;
    }

    Plain(RoundSetup setup, Ledger ledger, int partition) {
      super(setup, partition);
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
    loops.forEach(PollLoop::stop);
    for (PollLoop loop : loops) {
      loop.end();
    }
  }
}
