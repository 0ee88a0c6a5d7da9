package dev.mely.bench.kafka;

import io.confluent.parallelconsumer.ParallelConsumerOptions;
import io.confluent.parallelconsumer.ParallelConsumerOptions.CommitMode;
import io.confluent.parallelconsumer.ParallelConsumerOptions.ProcessingOrder;
import io.confluent.parallelconsumer.ParallelStreamProcessor;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/** Confluent's Parallel Consumer: a pool of threads, and a queue per key. */
final class ParallelConsumer implements Consumption {
  private final ParallelStreamProcessor<Integer, byte[]> processor;

  ParallelConsumer(RoundSetup setup, Ledger ledger) {
    ParallelConsumerOptions<Integer, byte[]> options =
        ParallelConsumerOptions.<Integer, byte[]>builder()
            .consumer(new KafkaConsumer<>(setup.consumer()))
            .ordering(ProcessingOrder.KEY)
            .commitMode(CommitMode.PERIODIC_CONSUMER_ASYNCHRONOUS)
            .commitInterval(Duration.ofSeconds(1)) // as the others
            .maxConcurrency(setup.threads())
            // It reads a field of the consumer that Kafka's clients 4 no longer have.
            .ignoreReflectiveAccessExceptionsForAutoCommitDisabledCheck(true)
            .build();
    processor = ParallelStreamProcessor.createEosStreamProcessor(options);
    processor.subscribe(List.of(setup.topic()));
    processor.poll(
        context -> {
          try {
            ledger.handle(context.getSingleConsumerRecord());
          } catch (InterruptedException e) {
            throw new IllegalStateException("closed before its end", e);
          }
        });
  }

  @Override
  public void end() {
    processor.closeDrainFirst();
  }
}
