package dev.mely.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random programs: records with keys, handlers that fail, take their time or are asynchronous, and
 * consumers that come, go, lose partitions and are killed. Nothing is committed that is not done,
 * nothing is lost, the order of each key holds, and what a commit said is done is not done again.
 *
 * <p>{@code -Dmely.kafka.programs=10000} runs more of them, {@code -Dmely.seed=42
 * -Dmely.kafka.programs=1} one again, as far as threads do the same again.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class KafkaProgramTest {
  private static final int PROGRAMS = Integer.getInteger("mely.kafka.programs", 60);
  private static final long SEED = Long.getLong("mely.seed", 1);
  private static final int RETRIES = 3;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  @Test
  void nothingIsLostAndTheOrderOfKeysHolds() throws Exception {
    for (long seed = SEED; seed < SEED + PROGRAMS; seed++) {
      long program = seed;
      String found = fault(seed, PATIENCE_NANOS);
      assertEquals("", found, () -> "-Dmely.kafka.programs=1 -Dmely.seed=" + program);
    }
  }

  /** For planted bugs: the first fault that some programs show; empty: none. */
  static String firstFault(int programs, long patienceNanos) throws Exception {
    for (long seed = 1; seed <= programs; seed++) {
      String found = fault(seed, patienceNanos);
      if (!found.isEmpty()) {
        return "program " + seed + ": " + found;
      }
    }
    return "";
  }

  private static String fault(long seed, long patienceNanos) throws Exception {
    Logger.getLogger("dev.mely.kafka").setLevel(Level.OFF); // it tells of what is planted
    try (Program program = new Program(seed)) {
      return program.run(patienceNanos);
    }
  }

  private enum Kind {
    PLAIN,
    SLOW,
    ASYNC,
    /** Completes exceptionally some times, then goes well. */
    ASYNC_FAILS,
    FAILS,
    ERROR,
    /** Goes to the dead-letter topic. */
    HOPELESS,
    /** Cannot be read. */
    POISON
  }

  private static final class Program implements AutoCloseable {
    private final Random random;
    private final int partitions;
    private final FakeGroup group;
    private final Mely mely;
    private final Set<String> done = ConcurrentHashMap.newKeySet();
    private final Map<String, Kind> kinds = new HashMap<>();
    private final Map<String, Integer> attempts = new HashMap<>();

    /** By key and partition: offsets, in the order in which they were first begun. */
    private final Map<String, List<Long>> firsts = new HashMap<>();

    private final List<Node> nodes = new ArrayList<>();
    private final Queue<MockProducer<byte[], byte[]>> producers = new ConcurrentLinkedQueue<>();

    Program(long seed) {
      random = new Random(seed * 0x9E3779B97F4A7C15L);
      partitions = 1 + random.nextInt(4);
      group =
          new FakeGroup(partitions, record -> done.contains(name(record)) || isInLetters(record));
      mely = Mely.builder().cores(1 + random.nextInt(3)).build();
      int records = 50 + random.nextInt(400);
      int keys = 1 + random.nextInt(30);
      int evil = random.nextInt(4);
      long[] next = new long[partitions];
      for (int i = 0; i < records; i++) {
        int partition = random.nextInt(partitions);
        Kind kind = kind(evil);
        String key = random.nextInt(10) == 0 ? null : "key" + random.nextInt(keys);
        next[partition] += random.nextInt(5) == 0 ? 1 + random.nextInt(3) : 1; // a gap
        String name = partition + ":" + next[partition];
        kinds.put(name, kind);
        String value = kind == Kind.POISON ? Reader.POISON : name;
        group.send(partition, next[partition], FakeGroup.bytes(key), FakeGroup.bytes(value));
      }
    }

    private boolean isInLetters(ConsumerRecord<?, ?> record) {
      return producers.stream()
          .flatMap(producer -> producer.history().stream())
          .anyMatch(
              letter ->
                  name(record)
                      .equals(
                          header(letter, DeadLetters.PARTITION)
                              + ":"
                              + header(letter, DeadLetters.OFFSET)));
    }

    private static String header(ProducerRecord<?, ?> letter, String name) {
      return new String(letter.headers().lastHeader(name).value());
    }

    private Kind kind(int evil) {
      if (random.nextInt(4) >= evil) {
        return Kind.PLAIN;
      }
      return Kind.values()[random.nextInt(Kind.values().length)];
    }

    private static String name(ConsumerRecord<?, ?> record) {
      return record.partition() + ":" + record.offset();
    }

    // ---- A process with a consumer

    private static final class Open {
      final String name;
      final int partition;
      int attempts;
      boolean running;

      Open(String name, int partition) {
        this.name = name;
        this.partition = partition;
      }
    }

    private final class Node implements FakeGroup.Watch {
      final FakeMember member = group.join(new Random(random.nextLong()), 3);
      final Set<TopicPartition> partitions = new HashSet<>();
      final Map<String, AtomicBoolean> busy = new ConcurrentHashMap<>();
      final KafkaColors consumer;

      /** By key: the record that has begun and is not done. */
      private final Map<String, Open> open = new HashMap<>();

      /** Partitions whose records need not be done any more. Guarded by open. */
      private final Set<Integer> gone = new HashSet<>();

      /** Handlers of partitions that were lost are not waited for: these stay in here. */
      private final Set<Integer> lost = new HashSet<>();

      Node() {
        member.watch = this;
        Map<String, Object> properties =
            Map.of(
                "bootstrap.servers",
                "nowhere:1",
                "group.id",
                "test",
                "key.deserializer",
                StringDeserializer.class,
                "value.deserializer",
                Reader.class);
        member.maxPollRecords = 1 + random.nextInt(60);
        KafkaColorsBuilder<String, String> builder =
            KafkaColors.<String, String>builder(mely, properties)
                .topics(FakeGroup.TOPIC)
                .consumer(all -> member.consumer())
                .producer(this::newProducer)
                .asyncHandler(this::handle)
                .retries(RETRIES, Duration.ofMillis(1), Duration.ofMillis(3))
                .deadLetters()
                .commitInterval(Duration.ofMillis(1 + random.nextInt(5)))
                .drain(Duration.ofSeconds(60))
                .maxPending(5 + random.nextInt(100), 1 << 20)
                .maxPendingPerPartition(5 + random.nextInt(100));
        if (random.nextBoolean()) {
          builder.maxPendingPerKey(2 + random.nextInt(10));
        }
        consumer = builder.start();
      }

      private Producer<byte[], byte[]> newProducer() {
        MockProducer<byte[], byte[]> producer =
            new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
        producers.add(producer);
        return producer;
      }

      private @Nullable CompletionStage<?> handle(ConsumerRecord<String, String> record)
          throws Exception {
        if (member.dead) {
          return null; // a process that is no more
        }
        String name = name(record);
        if (record.headers().lastHeader(FakeGroup.DONE) != null) {
          group.faults.add(name + " was done before");
        }
        int attempt = begin(record, name);
        String key = record.key();
        if (key != null) {
          open(key, record.partition(), name);
        }
        AtomicBoolean alone = key == null ? new AtomicBoolean() : busy(key);
        if (alone.getAndSet(true)) {
          group.faults.add("two records of " + key + " at once");
        }
        Kind kind = kinds.get(name);
        if (kind == Kind.ASYNC || kind == Kind.ASYNC_FAILS) {
          return later(key, name, attempt, kind, alone);
        }
        try {
          if (kind == Kind.SLOW) {
            Thread.sleep(1);
          }
          fail(kind, attempt);
          end(key, name);
        } finally {
          alone.set(false);
          stop(key, name);
        }
        return null;
      }

      private AtomicBoolean busy(String key) {
        return busy.computeIfAbsent(key, unused -> new AtomicBoolean());
      }

      private int begin(ConsumerRecord<String, String> record, String name) {
        synchronized (attempts) { // another consumer may begin with it, too
          int attempt = attempts.merge(name, 1, Integer::sum) - 1;
          if (record.key() != null && attempt == 0) {
            firsts
                .computeIfAbsent(
                    record.key() + " of " + record.partition(), unused -> new ArrayList<>())
                .add(record.offset());
          }
          return attempt;
        }
      }

      private CompletionStage<?> later(
          String key, String name, int attempt, Kind kind, AtomicBoolean alone) {
        return CompletableFuture.runAsync(
            () -> {
              alone.set(false);
              stop(key, name);
              if (kind == Kind.ASYNC_FAILS && attempt % 3 < 2) {
                throw new IllegalStateException("planted");
              }
              end(key, name);
            },
            CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS));
      }

      private void fail(Kind kind, int attempt) throws Exception {
        switch (kind) {
          case FAILS -> {
            if (attempt % 3 < 2) {
              throw new Exception("planted");
            }
          }
          case ERROR -> {
            if (attempt % 2 == 0) {
              throw new AssertionError("planted");
            }
          }
          case HOPELESS -> throw new Exception("hopeless");
          default -> {}
        }
      }

      /** It is done: before its attempt counts as over. */
      private void end(String key, String name) {
        if (!member.dead) {
          done.add(name);
          synchronized (open) {
            open.computeIfPresent(String.valueOf(key), (k, o) -> o.name.equals(name) ? null : o);
          }
        }
      }

      private void open(String key, int partition, String name) {
        synchronized (open) {
          Open before = open.get(key);
          if (before != null
              && !before.name.equals(name)
              && before.attempts <= RETRIES
              && !gone.contains(before.partition)
              && !lost.contains(before.partition)) {
            group.faults.add(name + " overtakes " + before.name + ", of the same key");
          }
          if (before == null || !before.name.equals(name)) {
            before = new Open(name, partition);
            open.put(key, before);
          }
          before.attempts++;
          before.running = true;
        }
      }

      private void stop(String key, String name) {
        synchronized (open) {
          Open now = open.get(String.valueOf(key));
          if (now != null && now.name.equals(name)) {
            now.running = false;
          }
        }
      }

      @Override
      public void come(Set<TopicPartition> names) {
        synchronized (open) {
          names.forEach(
              name -> {
                gone.remove(name.partition());
                open.values().removeIf(o -> o.partition == name.partition());
              });
        }
      }

      @Override
      public void go(Set<TopicPartition> names) {
        synchronized (open) {
          names.forEach(name -> gone.add(name.partition()));
        }
      }

      @Override
      public void areLost(Set<TopicPartition> names) {
        synchronized (open) {
          names.forEach(name -> lost.add(name.partition()));
        }
      }

      @Override
      public void haveGone(Set<TopicPartition> names) {
        synchronized (open) {
          for (Open o : open.values()) {
            if (o.running
                && !lost.contains(o.partition)
                && names.contains(new TopicPartition(FakeGroup.TOPIC, o.partition))) {
              group.faults.add(o.name + " runs although its partition has gone");
            }
          }
        }
      }
    }

    // ---- What happens to it

    String run(long patienceNanos) throws Exception {
      for (int i = random.nextInt(3); i >= 0; i--) {
        nodes.add(new Node());
      }
      give(group.partitions());
      long start = System.nanoTime();
      for (int i = random.nextInt(12); i > 0; i--) {
        Thread.sleep(random.nextInt(8));
        if (!event(patienceNanos)) {
          return "a partition is not given back: " + nodes();
        }
      }
      while (!isOver()) {
        if (System.nanoTime() - start > patienceNanos) {
          return "it does not end: " + done.size() + " of " + kinds.size() + " done " + nodes();
        }
        Thread.sleep(1);
      }
      nodes.forEach(node -> node.consumer.close());
      return check();
    }

    private List<String> nodes() {
      return nodes.stream().map(node -> node.consumer.progress().toString()).toList();
    }

    private boolean isOver() {
      return group.isAllCommitted();
    }

    private void give(Collection<TopicPartition> names) {
      for (TopicPartition name : names) {
        Node node = nodes.get(random.nextInt(nodes.size()));
        node.partitions.add(name);
        node.member.assign(List.of(name));
      }
    }

    /** Whether it has happened in time. */
    private boolean event(long patienceNanos) throws Exception {
      Node node = nodes.get(random.nextInt(nodes.size()));
      List<TopicPartition> some = new ArrayList<>(node.partitions);
      some.removeIf(name -> random.nextBoolean());
      switch (random.nextInt(6)) {
        case 0, 1, 2 -> {
          node.partitions.removeAll(some);
          CountDownLatch left = new CountDownLatch(1);
          node.member.revoke(some, left::countDown);
          if (!left.await(patienceNanos, TimeUnit.NANOSECONDS)) {
            return false;
          }
          give(some);
        }
        case 3 -> {
          node.partitions.removeAll(some);
          node.member.lose(some);
          give(some);
        }
        case 4 -> nodes.add(new Node());
        default -> {
          if (nodes.size() > 1) {
            nodes.remove(node);
            node.member.kill();
            give(node.partitions);
          }
        }
      }
      return true;
    }

    private String check() {
      List<String> all = new ArrayList<>(group.faults);
      firsts.forEach(
          (key, offsets) -> {
            if (!offsets.stream().sorted().toList().equals(offsets)) {
              all.add("records of " + key + " begin in the order " + offsets);
            }
          });
      return all.isEmpty() ? "" : all.get(0);
    }

    @Override
    public void close() {
      nodes.forEach(node -> node.consumer.stop());
      mely.shutdown(Duration.ofSeconds(5));
    }
  }

  /** Refuses some values. */
  public static final class Reader extends StringDeserializer {
    static final String POISON = "poison";

    @Override
    public String deserialize(String topic, byte[] data) {
      String text = super.deserialize(topic, data);
      if (POISON.equals(text)) {
        throw new IllegalArgumentException("cannot be read");
      }
      return text;
    }
  }
}
