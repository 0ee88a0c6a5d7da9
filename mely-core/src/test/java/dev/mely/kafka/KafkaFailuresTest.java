package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** Records that fail, are not done yet, or cannot be read. */
class KafkaFailuresTest extends ConsumerBed {
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
  void deadLettersOfTopicsByPattern() throws Exception {
    group.send(0, "a", KafkaProgramTest.Reader.POISON);
    done.add("0:0");
    start(
        builder()
            .topics(Pattern.compile(FakeGroup.TOPIC))
            .deadLetters(topic -> "dead-" + topic)
            .producer(() -> producer));
    until(group::isAllCommitted);
    assertEquals("dead-orders", producer.history().get(0).topic());
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

  /** A registry of schemas, say, whose records are fine. */
  public static final class Away extends StringDeserializer {
    @Override
    public String deserialize(String topic, byte[] data) {
      throw new TimeoutException("planted");
    }
  }

  @Test
  void whatCannotBeReadNowIsNoDeadLetter() throws Exception {
    Map<String, Object> properties = properties();
    properties.put("value.deserializer", Away.class);
    group.send(0, "a", "1");
    start(builder(properties).deadLetters().producer(() -> producer));
    Throwable failure = failure();
    assertInstanceOf(TimeoutException.class, failure.getCause());
    assertEquals(List.of(), producer.history());
    assertTrue(!group.isAllCommitted());
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

  /** A stage that calls back twice. */
  private static final class Twice extends CompletableFuture<Void> {
    @Override
    public CompletableFuture<Void> whenComplete(
        BiConsumer<? super Void, ? super Throwable> action) {
      action.accept(null, null);
      action.accept(null, new Exception("planted"));
      return this;
    }
  }

  @Test
  void aStageThatCallsBackTwiceIsOneEnd() throws Exception {
    for (int i = 0; i < 20; i++) {
      group.send(0, "a", "" + i);
    }
    start(
        builder()
            .asyncHandler(
                record -> {
                  note(record);
                  return new Twice();
                }));
    until(group::isAllCommitted);
    consumer.close();
    assertEquals(20, seen.size());
    assertEquals(20, consumer.progress().records());
    assertEquals(0, consumer.progress().pending());
    assertEquals(0, consumer.progress().retries());
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
}
