package dev.mely.bench.kafka;

import dev.mely.bench.baseline.VirtualThreads;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A virtual thread per record. It first waits for the thread of the record before it with the same
 * key: locks are not given in the order of the records.
 */
final class VirtualThreadConsumer implements Consumption {
  /** As many as {@link dev.mely.kafka.KafkaColors} takes. */
  private static final int MAX_PENDING = 20_000;

  private final PollLoop loop;

  VirtualThreadConsumer(RoundSetup setup, Ledger ledger) {
    loop = new Loop(setup, ledger).start();
  }

  private static final class Loop extends PollLoop {
    private final Ledger ledger;
    private final ThreadFactory threads;
    private final Semaphore room = new Semaphore(MAX_PENDING);

    /** The last record of each key that has one. */
    private final Map<Integer, Turn> last = new ConcurrentHashMap<>();

    /** Records that are not committed, in the order of their partition. */
    private final Map<TopicPartition, Queue<Turn>> pending = new HashMap<>();

    Loop(RoundSetup setup, Ledger ledger) {
      super(setup);
      this.ledger = ledger;
      this.threads = VirtualThreads.factory(setup.cores());
    }

    @Override
    void take(ConsumerRecords<Integer, byte[]> records) throws InterruptedException {
      for (TopicPartition partition : records.partitions()) {
        Queue<Turn> turns = pending.computeIfAbsent(partition, x -> new ArrayDeque<>());
        for (ConsumerRecord<Integer, byte[]> record : records.records(partition)) {
          room.acquire();
          Turn turn = new Turn(record);
          turn.before = last.put(record.key(), turn);
          turns.add(turn);
          threads.newThread(turn).start();
        }
      }
    }

    @Override
    void commit(KafkaConsumer<Integer, byte[]> consumer, boolean all) throws InterruptedException {
      Map<TopicPartition, OffsetAndMetadata> done = new HashMap<>();
      for (Map.Entry<TopicPartition, Queue<Turn>> of : pending.entrySet()) {
        Queue<Turn> turns = of.getValue();
        for (Turn first = turns.peek(); first != null; first = turns.peek()) {
          if (all) {
            first.done.await();
          } else if (first.done.getCount() > 0) {
            break;
          }
          done.put(of.getKey(), new OffsetAndMetadata(first.record.offset() + 1));
          turns.remove();
        }
      }
      if (all) {
        consumer.commitSync(done);
      } else {
        consumer.commitAsync(done, null);
      }
    }

    /** A record's thread. */
    private final class Turn implements Runnable {
      private final ConsumerRecord<Integer, byte[]> record;
      private final CountDownLatch done = new CountDownLatch(1);
      private @Nullable Turn before;

      Turn(ConsumerRecord<Integer, byte[]> record) {
        this.record = record;
      }

      @Override
      public void run() {
        try {
          Turn first = before;
          if (first != null) {
            first.done.await();
            before = null; // else all records of the key would stay
          }
          ledger.handle(record);
        } catch (InterruptedException e) {
          throw new IllegalStateException("nobody interrupts it", e);
        } finally {
          last.remove(record.key(), this);
          done.countDown();
          room.release();
        }
      }
    }
  }

  @Override
  public void end() throws InterruptedException {
    loop.end();
  }
}
