package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.junit.jupiter.api.Test;

/** What a user sees of {@link KafkaColors}, one thing at a time. */
class KafkaColorsTest extends ConsumerBed {
  // ---- Order and parallelism

  @Test
  void recordsOfAKeyKeepTheirOrderAndAllAreCommitted() throws Exception {
    for (int i = 0; i < 100; i++) {
      group.send(0, "a", "a" + i);
    }
    start(builder());
    until(group::isAllCommitted);
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      expected.add("a" + i);
    }
    assertEquals(expected, List.copyOf(seen));
    consumer.close();
    assertTrue(member.closed);
    assertEquals(100, consumer.progress().records());
    assertEquals(0, consumer.progress().pending());
    consumer.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** Two handlers wait for each other. */
  @Test
  void keysRunAtOnceAndSoDoRecordsWithoutAKey() throws Exception {
    CyclicBarrier both = new CyclicBarrier(2);
    group.send(0, "a", "1");
    group.send(0, "b", "2");
    group.send(1, null, "3");
    group.send(1, (String) null, "4");
    start(
        builder()
            .handler(
                record -> {
                  both.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
                  note(record);
                }));
    until(group::isAllCommitted);
  }

  @Test
  void equalKeysOfTwoPartitionsAreTheColorOfThatKey() throws Exception {
    Queue<Boolean> inColor = new ConcurrentLinkedQueue<>();
    group.send(0, "a", "1");
    group.send(1, "a", "2");
    start(
        builder()
            .handler(
                record -> {
                  inColor.add(mely.color("a").isCurrent());
                  note(record);
                }));
    until(group::isAllCommitted);
    assertEquals(List.of(true, true), List.copyOf(inColor));
  }

  @Test
  void aKeyOfOnesOwn() throws Exception {
    group.send(0, "a", "order-7");
    start(
        builder()
            .key(record -> record.value().substring(6))
            .handler(
                record -> {
                  seen.add(String.valueOf(mely.color("7").isCurrent()));
                  done(record);
                }));
    until(group::isAllCommitted);
    assertEquals(List.of("true"), List.copyOf(seen));
  }

  /** A handler reads the buffer, and so changes what it equals. */
  @Test
  void buffersAreKeysByWhatTheyHold() throws Exception {
    Map<String, Object> properties = properties();
    properties.put("key.deserializer", ByteBufferDeserializer.class);
    for (int i = 0; i < 50; i++) {
      group.send(0, "key", "" + i);
    }
    consumer =
        KafkaColors.<ByteBuffer, String>builder(mely, properties)
            .topics(Pattern.compile(FakeGroup.TOPIC))
            .consumer(all -> member.consumer())
            .commitInterval(Duration.ofMillis(1))
            .handler(
                record -> {
                  record.key().get();
                  seen.add(record.value());
                  done(record);
                })
            .start();
    member.assign(0);
    until(group::isAllCommitted);
    assertEquals(50, seen.size());
    assertEquals(
        List.copyOf(seen),
        seen.stream().sorted(java.util.Comparator.comparing(Integer::valueOf)).toList());
    until(() -> consumer.progress().liveKeys() == 0);
  }

  // ---- Commits

  @Test
  void aSlowKeyHoldsUpTheCommitAndNoOtherKey() throws Exception {
    Gate slow = new Gate();
    group.send(0, "slow", "s");
    for (int i = 0; i < 20; i++) {
      group.send(0, "fast", "f" + i);
    }
    start(
        builder()
            .handler(
                record -> {
                  if (record.key().equals("slow")) {
                    slow.pass();
                  }
                  note(record);
                }));
    until(() -> group.committed(0) != null && !group.committed(0).metadata().isEmpty());
    until(() -> seen.size() == 20);
    until(() -> DoneRuns.decode(0, group.committed(0).metadata()).contains(20));
    assertEquals(0, group.committed(0).offset());
    slow.open();
    until(group::isAllCommitted);
    until(() -> group.committed(0).metadata().isEmpty());
  }

  @Test
  void whatACommitSaysIsDoneIsNotRepeated() throws Exception {
    for (int i = 0; i < 5; i++) {
      group.send(0, "a", "" + i);
    }
    DoneRuns beyond = new DoneRuns();
    beyond.add(2, 4);
    group.commit(0, new OffsetAndMetadata(1, beyond.encode(1)));
    done.addAll(List.of("0:0", "0:2", "0:3"));
    start(builder());
    until(group::isAllCommitted);
    assertEquals(List.of("1", "4"), List.copyOf(seen));
    until(() -> consumer.progress().skipped() == 2);
  }

  @Test
  void metadataOfSomebodyElseIsIgnored() throws Exception {
    group.send(0, "a", "0");
    group.send(0, "a", "1");
    done.add("0:0");
    group.commit(0, new OffsetAndMetadata(1, "somebody's"));
    start(builder());
    until(group::isAllCommitted);
    assertEquals(List.of("1"), List.copyOf(seen));
  }

  @Test
  void metadataThatTheBrokerRefusesIsLeftOut() throws Exception {
    Gate slow = new Gate();
    group.send(0, "fast", "0");
    group.send(0, "slow", "1");
    group.send(0, "fast", "2");
    member.refusesMetadata = true;
    start(
        builder()
            .handler(
                record -> {
                  if (record.key().equals("slow")) {
                    slow.pass();
                  }
                  note(record);
                }));
    until(() -> consumer.progress().failedCommits() == 1);
    until(() -> group.committed(0) != null && group.committed(0).offset() == 1);
    slow.open();
    until(group::isAllCommitted);
    consumer.close();
    assertEquals(1, consumer.progress().failedCommits());
  }

  /** Else what comes while no consumer runs would be lost to one that begins with the latest. */
  @Test
  void thePositionOfAQuietPartitionIsCommitted() throws Exception {
    start(builder());
    until(() -> group.committed(0) != null && group.committed(1) != null);
    assertEquals(0, group.committed(0).offset());
  }

  /** The topic was made anew: what the commit says is done are other records. */
  @Test
  void aResetToEarlierOffsetsForgetsWhatWasDone() throws Exception {
    DoneRuns beyond = new DoneRuns();
    beyond.add(11, 13);
    group.commit(0, new OffsetAndMetadata(10, beyond.encode(10)));
    group.send(0, 0, FakeGroup.bytes("a"), FakeGroup.bytes("0"));
    group.send(0, 11, FakeGroup.bytes("a"), FakeGroup.bytes("11"));
    member.resetTo = 0;
    start(builder());
    until(() -> seen.size() == 2);
    assertEquals(List.of("0", "11"), List.copyOf(seen));
    consumer.close();
    group.faults.clear(); // the commits of the former topic
  }

  // ---- Rebalances

  @Test
  void aPartitionThatGoesIsWaitedForAndWhatHasNotBegunIsLeft() throws Exception {
    Gate gate = new Gate();
    group.send(0, "a", "first");
    group.send(0, "a", "second");
    start(
        builder()
            .handler(
                record -> {
                  gate.pass();
                  note(record);
                }));
    gate.awaitHandler();
    CountDownLatch gone = new CountDownLatch(1);
    member.revoke(group.partitions(), gone::countDown);
    Thread.sleep(20);
    assertEquals(1, gone.getCount(), "the handler is waited for");
    gate.open();
    await(gone);
    assertEquals(1, group.committed(0).offset());
    until(() -> consumer.progress().pending() == 0);
    assertEquals(List.of("first"), List.copyOf(seen));
    member.assign(0);
    until(() -> seen.size() == 2);
    until(group::isAllCommitted);
  }

  @Test
  void handlersThatTakeTooLongAreNotWaitedForForEver() throws Exception {
    Gate gate = new Gate();
    group.send(0, "a", "first");
    start(
        builder()
            .drain(Duration.ofMillis(10))
            .handler(
                record -> {
                  gate.pass();
                  note(record);
                }));
    gate.awaitHandler();
    CountDownLatch gone = new CountDownLatch(1);
    member.revoke(group.partitions(), gone::countDown);
    await(gone);
    gate.open();
    until(() -> consumer.progress().pending() == 0);
    assertEquals(0, group.committed(0).offset(), "it was done too late");
  }

  // ---- The end

  @Test
  void closingHandlesWhatHasBeenReceived() throws Exception {
    Gate gate = new Gate();
    for (int i = 0; i < 30; i++) {
      group.send(0, "a", "" + i);
    }
    start(
        builder()
            .handler(
                record -> {
                  gate.pass();
                  note(record);
                }));
    gate.awaitHandler();
    consumer.stop();
    gate.open();
    consumer.close();
    assertEquals(30, seen.size());
    assertEquals(30, group.committed(0).offset());
    consumer.close(); // once more
  }

  @Test
  void aHandlerCannotWaitForTheEndButStopsIt() throws Exception {
    CompletableFuture<Throwable> thrown = new CompletableFuture<>();
    group.send(0, "a", "1");
    start(
        builder()
            .handler(
                record -> {
                  thrown.complete(assertThrows(IllegalStateException.class, consumer::close));
                  consumer.stop();
                  note(record);
                }));
    thrown.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    consumer.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    assertEquals(1, group.committed(0).offset());
  }

  // ---- Settings

  @Test
  void wrongSettingsAreNamed() {
    for (String needed :
        List.of("bootstrap.servers", "group.id", "key.deserializer", "value.deserializer")) {
      Map<String, Object> lacking = properties();
      lacking.remove(needed);
      refused(needed, () -> KafkaColors.builder(mely, lacking));
    }
    Properties committing = new Properties();
    committing.putAll(properties());
    committing.put("enable.auto.commit", true); // not a string
    refused("enable.auto.commit", () -> KafkaColors.builder(mely, committing));
    KafkaColorsBuilder<String, String> builder = KafkaColors.builder(mely, properties());
    refused("-1", () -> builder.retries(-1, Duration.ofMillis(1), Duration.ofMillis(1)));
    refused("PT0S", () -> builder.retries(1, Duration.ZERO, Duration.ofMillis(1)));
    refused("PT1S", () -> builder.retries(1, Duration.ofSeconds(1), Duration.ofMillis(1)));
    refused("0", () -> builder.maxPending(0, 1));
    refused("-5", () -> builder.maxPending(1, -5));
    refused("0", () -> builder.maxPendingPerKey(0));
    refused("0", () -> builder.maxPendingPerPartition(0));
    refused("PT-1S", () -> builder.commitInterval(Duration.ofSeconds(-1)));
    refused("365 days", () -> builder.drain(Duration.ofDays(1000)));
    refused("topics", builder::topics);
    assertTrue(
        assertThrows(IllegalStateException.class, builder::start).getMessage().contains("topics"));
    builder.topics("orders");
    assertTrue(
        assertThrows(IllegalStateException.class, builder::start).getMessage().contains("handler"));
    builder.handler(record -> {}).drain(Duration.ofMinutes(5));
    refused("max.poll.interval.ms", builder::start);
  }

  private static void refused(String word, org.junit.jupiter.api.function.Executable call) {
    String message = assertThrows(IllegalArgumentException.class, call).getMessage();
    assertTrue(message.contains(word), message);
  }

  @Test
  void progressIsALine() {
    String line =
        new Progress(1, 0, 2, 3, 4, 5, 6, 7, 8, Duration.ofMillis(900), Map.of()).toString();
    assertEquals(
        "1 records done, 6 pending of 8 keys, oldest 0.9 s, 0 partitions, lag 0, 4 commits,"
            + " 2 retries, 3 dead letters, 5 failed commits",
        line);
    assertFalse(line.contains("\n"));
  }
}
