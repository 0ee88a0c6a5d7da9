package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a user sees of {@link KafkaColors}, one thing at a time. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaColorsTest {
  private static final long PATIENCE_SECONDS = 120;

  private final Mely mely = Mely.builder().cores(2).build();
  private final Set<String> done = ConcurrentHashMap.newKeySet();
  private final Queue<String> seen = new ConcurrentLinkedQueue<>();
  private final FakeGroup group =
      new FakeGroup(2, record -> done.contains(record.partition() + ":" + record.offset()));
  private final FakeGroup.Member member = group.join();
  private KafkaColors consumer;

  @BeforeEach
  void quiet() {
    Logger.getLogger("dev.mely.kafka").setLevel(Level.OFF); // failures are planted
  }

  @AfterEach
  void end() {
    if (consumer != null) {
      consumer.close();
    }
    mely.close();
    assertEquals(List.of(), List.copyOf(group.faults));
  }

  private static Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    properties.put("bootstrap.servers", "nowhere:1");
    properties.put("group.id", "test");
    properties.put("key.deserializer", StringDeserializer.class.getName());
    properties.put("value.deserializer", KafkaProgramTest.Reader.class.getName());
    return properties;
  }

  private KafkaColorsBuilder<String, String> builder() {
    return KafkaColors.<String, String>builder(mely, properties())
        .topics(FakeGroup.TOPIC)
        .consumer(all -> member.consumer())
        .commitInterval(Duration.ofMillis(1))
        .retries(2, Duration.ofMillis(1), Duration.ofMillis(1))
        .drain(Duration.ofSeconds(PATIENCE_SECONDS))
        .handler(this::note);
  }

  private void note(ConsumerRecord<String, String> record) {
    seen.add(record.value());
    done(record);
  }

  private void done(ConsumerRecord<?, ?> record) {
    done.add(record.partition() + ":" + record.offset());
  }

  private void start(KafkaColorsBuilder<String, String> settings) {
    consumer = settings.start();
    member.assign(0, 1);
  }

  private static void until(java.util.function.BooleanSupplier condition)
      throws InterruptedException {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() - start < TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS), "in time");
      Thread.sleep(1);
    }
  }

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertTrue(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
  }

  private Throwable failure() throws Exception {
    return assertThrows(
            ExecutionException.class,
            () -> consumer.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS))
        .getCause();
  }

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
    CountDownLatch slow = new CountDownLatch(1);
    group.send(0, "slow", "s");
    for (int i = 0; i < 20; i++) {
      group.send(0, "fast", "f" + i);
    }
    start(
        builder()
            .handler(
                record -> {
                  if (record.key().equals("slow")) {
                    await(slow);
                  }
                  note(record);
                }));
    until(() -> group.committed(0) != null && !group.committed(0).metadata().isEmpty());
    until(() -> seen.size() == 20);
    until(() -> DoneRuns.decode(0, group.committed(0).metadata()).contains(20));
    assertEquals(0, group.committed(0).offset());
    slow.countDown();
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
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    group.send(0, "a", "first");
    group.send(0, "a", "second");
    start(
        builder()
            .handler(
                record -> {
                  begun.countDown();
                  await(goOn);
                  note(record);
                }));
    await(begun);
    CountDownLatch gone = new CountDownLatch(1);
    member.revoke(group.partitions(), gone::countDown);
    Thread.sleep(20);
    assertEquals(1, gone.getCount(), "the handler is waited for");
    goOn.countDown();
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
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    group.send(0, "a", "first");
    start(
        builder()
            .drain(Duration.ofMillis(10))
            .handler(
                record -> {
                  begun.countDown();
                  await(goOn);
                  note(record);
                }));
    await(begun);
    CountDownLatch gone = new CountDownLatch(1);
    member.revoke(group.partitions(), gone::countDown);
    await(gone);
    goOn.countDown();
    until(() -> consumer.progress().pending() == 0);
    assertEquals(0, group.committed(0).offset(), "it was done too late");
  }

  // ---- Back-pressure

  @Test
  void tooMuchPendingPausesAndPollsGoOn() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    for (int i = 0; i < 200; i++) {
      group.send(i % 2, "key" + i, "" + i);
    }
    member.maxPollRecords = 10;
    start(
        builder()
            .maxPending(20, 1 << 20)
            .handler(
                record -> {
                  await(goOn);
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
    goOn.countDown();
    until(group::isAllCommitted);
    assertEquals(200, seen.size());
  }

  @Test
  void bytesCountToo() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    for (int i = 0; i < 50; i++) {
      group.send(0, "key" + i, "x".repeat(1000));
    }
    member.maxPollRecords = 1;
    start(
        builder()
            .maxPending(1_000_000, 5_000)
            .handler(
                record -> {
                  await(goOn);
                  note(record);
                }));
    until(() -> consumer.progress().pendingBytes() >= 5_000);
    member.awaitTurn();
    member.awaitTurn();
    assertTrue(consumer.progress().pendingBytes() < 7_000);
    goOn.countDown();
    until(group::isAllCommitted);
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

  // ---- Failures

  @Test
  void aRecordThatFailsIsTriedAgainAndHoldsUpItsKeyAlone() throws Exception {
    group.send(0, "a", "a1");
    group.send(0, "a", "a2");
    group.send(0, "b", "b1");
    CountDownLatch other = new CountDownLatch(1);
    Queue<String> attempts = new ConcurrentLinkedQueue<>();
    start(
        builder()
            .handler(
                record -> {
                  attempts.add(record.value());
                  if (record.value().equals("a1") && other.getCount() > 0) {
                    throw new AssertionError("an error, even");
                  }
                  note(record);
                  if (record.value().equals("b1")) {
                    other.countDown();
                  }
                })
            .retries(1_000_000, Duration.ofMillis(1), Duration.ofMillis(1)));
    until(group::isAllCommitted);
    assertEquals(List.of("a1", "a2"), seen.stream().filter(v -> v.startsWith("a")).toList());
    List<String> ofA = attempts.stream().filter(v -> v.startsWith("a")).toList();
    assertEquals("a2", ofA.get(ofA.size() - 1));
    assertEquals(1, ofA.stream().filter("a2"::equals).count());
  }

  @Test
  void atARecordThatFailsForGoodTheConsumerStops() throws Exception {
    group.send(0, "a", "good");
    group.send(0, "a", "bad");
    group.send(0, "a", "behind");
    start(
        builder()
            .handler(
                record -> {
                  if (record.value().equals("bad")) {
                    throw new IllegalArgumentException("planted");
                  }
                  note(record);
                }));
    Throwable failure = failure();
    assertTrue(failure.getMessage().contains("orders-0 at offset 1"), failure.getMessage());
    assertTrue(failure.getMessage().contains("3 times"), failure.getMessage());
    assertEquals("planted", failure.getCause().getMessage());
    assertEquals(1, group.committed(0).offset());
    assertEquals(List.of("good"), List.copyOf(seen));
    assertTrue(member.closed);
  }

  @Test
  void deadLettersSayWhereTheyWereAndWhy() throws Exception {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    group.send(1, "a", "bad");
    group.send(1, "a", KafkaProgramTest.Reader.POISON);
    group.send(1, "a", "good");
    done.addAll(List.of("1:0", "1:1"));
    start(
        builder()
            .deadLetters()
            .producer(() -> producer)
            .handler(
                record -> {
                  record.headers().add("mine", new byte[0]);
                  if (record.value().equals("bad")) {
                    throw new IllegalArgumentException("planted");
                  }
                  note(record);
                }));
    until(group::isAllCommitted);
    assertEquals(List.of("good"), List.copyOf(seen));
    assertEquals(2, producer.history().size());
    ProducerRecord<byte[], byte[]> bad = producer.history().get(0);
    assertEquals("orders-dlt", bad.topic());
    assertEquals("bad", new String(bad.value()));
    assertEquals(
        "orders 1 0 3 java.lang.IllegalArgumentException planted",
        String.join(
            " ",
            header(bad, "mely-topic"),
            header(bad, "mely-partition"),
            header(bad, "mely-offset"),
            header(bad, "mely-attempts"),
            header(bad, "mely-exception"),
            header(bad, "mely-exception-message")));
    assertEquals(null, bad.headers().lastHeader("mine"), "as it was sent");
    ProducerRecord<byte[], byte[]> poison = producer.history().get(1);
    assertEquals(KafkaProgramTest.Reader.POISON, new String(poison.value()));
    assertEquals("0", header(poison, "mely-attempts"));
    until(() -> consumer.progress().deadLetters() == 2);
    consumer.close();
    assertTrue(producer.closed());
  }

  private static String header(ProducerRecord<?, ?> record, String name) {
    return new String(record.headers().lastHeader(name).value());
  }

  @Test
  void aDeadLetterThatCannotBeSentStopsTheConsumer() throws Exception {
    group.send(0, "a", "bad");
    group.send(0, "a", "behind");
    start(
        builder()
            .deadLetters()
            .producer(
                () -> {
                  throw new KafkaException("no producer");
                })
            .handler(
                record -> {
                  throw new Exception("planted");
                }));
    assertEquals("no producer", failure().getCause().getMessage());
    assertEquals(0, group.committed(0).offset());
  }

  /** What comes behind a record that cannot be read does not overtake it. */
  @Test
  void atARecordThatCannotBeReadTheConsumerStops() throws Exception {
    group.send(0, "a", KafkaProgramTest.Reader.POISON);
    group.send(0, "a", "behind");
    start(builder());
    Throwable failure = failure();
    assertTrue(failure.getMessage().contains("cannot be read"), failure.getMessage());
    assertEquals(List.of(), List.copyOf(seen));
    assertEquals(0, group.committed(0).offset());
  }

  @Test
  void whatKafkaThrowsStopsTheConsumer() throws Exception {
    start(builder());
    member.awaitTurn();
    member.pollFails = new KafkaException("fenced");
    assertEquals("fenced", failure().getMessage());
  }

  @Test
  void theEndOfTheRuntimeIsTheConsumersEnd() throws Exception {
    Mely other = Mely.builder().cores(1).build();
    KafkaColors own =
        KafkaColors.<String, String>builder(other, properties())
            .topics(FakeGroup.TOPIC)
            .consumer(all -> member.consumer())
            .handler(this::note)
            .start();
    member.assign(0);
    member.awaitTurn();
    other.close();
    ExecutionException e =
        assertThrows(
            ExecutionException.class, () -> own.ended().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
    assertInstanceOf(IllegalStateException.class, e.getCause());
    own.close();
  }

  // ---- Asynchronous handlers

  @Test
  void aKeyWaitsForAnAsynchronousRecord() throws Exception {
    CompletableFuture<Void> first = new CompletableFuture<>();
    group.send(0, "a", "a1");
    group.send(0, "a", "a2");
    group.send(0, "b", "b1");
    start(
        builder()
            .asyncHandler(
                record -> {
                  if (record.value().equals("a1")) {
                    return first.thenRun(() -> note(record));
                  }
                  note(record);
                  return null;
                }));
    until(() -> seen.size() == 1);
    member.awaitTurn();
    assertEquals(List.of("b1"), List.copyOf(seen));
    first.complete(null);
    until(group::isAllCommitted);
    assertEquals(List.of("b1", "a1", "a2"), List.copyOf(seen));
  }

  @Test
  void anAsynchronousFailureIsAFailure() throws Exception {
    group.send(0, "a", "a1");
    start(
        builder()
            .asyncHandler(r -> CompletableFuture.failedFuture(new Exception("planted")))
            .retries(0, Duration.ofMillis(1), Duration.ofMillis(1)));
    assertEquals("planted", failure().getCause().getMessage());
  }

  // ---- The end

  @Test
  void closingHandlesWhatHasBeenReceived() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    for (int i = 0; i < 30; i++) {
      group.send(0, "a", "" + i);
    }
    start(
        builder()
            .handler(
                record -> {
                  begun.countDown();
                  await(goOn);
                  note(record);
                }));
    await(begun);
    consumer.stop();
    goOn.countDown();
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
