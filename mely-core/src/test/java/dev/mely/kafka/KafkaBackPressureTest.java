package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** What is pending is bounded: partitions are paused, and polls go on. */
class KafkaBackPressureTest extends ConsumerBed {
  @Test
  void tooMuchPendingPausesAndPollsGoOn() throws Exception {
    Gate gate = new Gate();
    for (int i = 0; i < 200; i++) {
      group.send(i % 2, "key" + i, "" + i);
    }
    member.maxPollRecords = 10;
    start(
        builder()
            .maxPending(20, 1 << 20)
            .handler(
                record -> {
                  gate.pass();
                  note(record);
                }));
    until(
        () ->
            consumer.progress().partitions().values().stream().allMatch(Progress.Partition::paused)
                && consumer.progress().pending() >= 20);
    long pending = consumer.progress().pending();
    assertTrue(pending <= 30, () -> pending + " pending");
    long polls = member.polls;
    until(() -> member.polls > polls + 20);
    assertEquals(pending, consumer.progress().pending());
    until(() -> member.lastTimeout.isZero()); // it waits for handlers, not for records
    gate.open();
    until(group::isAllCommitted);
    assertEquals(200, seen.size());
  }

  /** Else a wake-up a record costs more than quick handlers do. */
  @Test
  void whileAllIsPausedARecordThatIsDoneDoesNotWakeTheConsumersThread() throws Exception {
    int records = 2_000;
    int few = 400; // less than half of what is pending
    Gate gate = new Gate();
    AtomicInteger begun = new AtomicInteger();
    AtomicLong start = new AtomicLong();
    AtomicLong polls = new AtomicLong();
    for (int i = 0; i < records; i++) {
      group.send(0, "key", "" + i);
    }
    member.maxPollRecords = records;
    start(
        builder()
            .maxPending(10, 1 << 20)
            .handler(
                record -> {
                  int number = begun.getAndIncrement();
                  if (number == 0) {
                    gate.pass();
                    start.set(System.nanoTime());
                    polls.set(member.polls);
                  } else if (number < few) {
                    Thread.sleep(1); // time enough for a turn of the consumer's thread
                  } else if (number == few) {
                    polls.set(member.polls - polls.get());
                    start.set(System.nanoTime() - start.get());
                  }
                  note(record);
                }));
    until(() -> consumer.progress().pending() == records && isPaused(0));
    gate.open();
    until(group::isAllCommitted);
    long waits = TimeUnit.NANOSECONDS.toMillis(start.get()) / 10;
    assertTrue(
        polls.get() <= waits + few / 10,
        polls + " polls, but there was time for " + waits + " waits of 10 ms");
  }

  @Test
  void bytesCountToo() throws Exception {
    Gate gate = new Gate();
    for (int i = 0; i < 50; i++) {
      group.send(0, "key" + i, "x".repeat(1000));
    }
    member.maxPollRecords = 1;
    start(
        builder()
            .maxPending(1_000_000, 5_000)
            .handler(
                record -> {
                  gate.pass();
                  note(record);
                }));
    until(() -> consumer.progress().pendingBytes() >= 5_000);
    member.awaitTurn();
    member.awaitTurn();
    assertTrue(consumer.progress().pendingBytes() < 7_000);
    gate.open();
    until(group::isAllCommitted);
  }

  @Test
  void tooMuchOfAKeyPausesItsPartitionAlone() throws Exception {
    Gate gate = new Gate();
    for (int i = 0; i < 50; i++) {
      group.send(0, "hot", "h" + i);
      group.send(1, "cold" + i, "c" + i);
    }
    member.maxPollRecords = 2;
    start(
        builder()
            .maxPendingPerKey(3)
            .handler(
                record -> {
                  if (record.key().equals("hot")) {
                    gate.pass();
                  }
                  note(record);
                }));
    until(() -> seen.size() == 50);
    until(() -> consumer.progress().pending() > 0 && isPaused(0) && !isPaused(1));
    long pending = consumer.progress().pending();
    assertTrue(pending >= 3 && pending < 3 + 2, () -> pending + " pending");
    // Records of the other partition are received as they come, and the paused one is looked at.
    until(() -> member.lastTimeout.equals(Duration.ofMillis(1)));
    gate.open();
    until(group::isAllCommitted);
    assertEquals(100, seen.size());
  }

  private boolean isPaused(int number) {
    Progress.Partition partition =
        consumer.progress().partitions().get(new TopicPartition(FakeGroup.TOPIC, number));
    return partition != null && partition.paused();
  }

  /** The runtime's own bounds refuse: nothing is lost, and the consumer's thread does not wait. */
  @Test
  void aBoundedRuntimeIsNoFailure() throws Exception {
    try (Mely bounded = Mely.builder().cores(2).maxPending(3).build()) {
      for (int i = 0; i < 100; i++) {
        group.send(0, "key" + i % 7, "" + i);
      }
      KafkaColors own =
          KafkaColors.<String, String>builder(bounded, properties())
              .topics(FakeGroup.TOPIC)
              .consumer(all -> member.consumer())
              .commitInterval(Duration.ofMillis(1))
              .handler(this::note)
              .start();
      member.assign(0);
      until(group::isAllCommitted);
      assertEquals(100, seen.size());
      own.close();
    }
  }
}
