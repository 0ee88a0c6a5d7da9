package dev.mely.kafka;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.OffsetMetadataTooLarge;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** A consumer. Its calls come from one thread; the test gives it orders, which polls carry out. */
final class FakeMember {
  private final FakeGroup group;
  private final Random random;
  private final int failing;
  private final Queue<Runnable> orders = new ConcurrentLinkedQueue<>();
  private final Map<TopicPartition, Claim> claims = new HashMap<>();
  private final Set<TopicPartition> paused = new HashSet<>();
  private final List<Runnable> commitsUnderWay = new ArrayList<>();

  /** What it may commit: not any more when a call-back about its loss has returned. */
  private final Set<TopicPartition> mine = new HashSet<>();

  private ConsumerRebalanceListener listener;
  FakeGroup.Watch watch = new FakeGroup.Watch() {};
  volatile int maxPollRecords = 50;
  volatile boolean dead;
  volatile boolean closed;
  volatile long polls;
  volatile Duration lastTimeout = Duration.ZERO;
  volatile KafkaException pollFails;

  /** Its broker takes commits without metadata alone. */
  volatile boolean refusesMetadata;

  /** Where it begins although another offset is committed; -1: where that says. */
  long resetTo = -1;

  FakeMember(FakeGroup group, Random random, int failing) {
    this.group = group;
    this.random = random;
    this.failing = failing;
  }

  @SuppressWarnings("unchecked")
  Consumer<byte[], byte[]> consumer() {
    return (Consumer<byte[], byte[]>)
        Proxy.newProxyInstance(
            Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, this::invoke);
  }

  private Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
    for (Method own : FakeMember.class.getDeclaredMethods()) {
      if (own.getName().equals(method.getName())
          && List.of(own.getParameterTypes()).equals(List.of(method.getParameterTypes()))) {
        try {
          return own.invoke(this, arguments);
        } catch (InvocationTargetException e) {
          throw e.getCause();
        }
      }
    }
    throw new UnsupportedOperationException(method.toString());
  }

  // ---- Orders, by the test's thread

  /** It gets partitions, and is told at its next poll, unless it has lost them by then. */
  void assign(Collection<TopicPartition> names) {
    Map<TopicPartition, Claim> given = new HashMap<>();
    synchronized (group) {
      names.forEach(name -> given.put(name, new Claim(this)));
      group.owners.putAll(given);
    }
    orders.add(
        () -> {
          synchronized (group) {
            given.entrySet().removeIf(e -> group.owners.get(e.getKey()) != e.getValue());
            given.forEach((name, claim) -> claim.begin(group.committed.get(name)));
            if (resetTo >= 0) {
              given.values().forEach(claim -> claim.reset(resetTo));
            }
            claims.putAll(given);
            mine.addAll(given.keySet());
          }
          watch.come(given.keySet());
          listener.onPartitionsAssigned(given.keySet());
        });
  }

  void assign(int... numbers) {
    List<TopicPartition> names = new ArrayList<>();
    for (int number : numbers) {
      names.add(new TopicPartition(FakeGroup.TOPIC, number));
    }
    assign(names);
  }

  /** It loses partitions in an orderly way, at its next poll. */
  void revoke(Collection<TopicPartition> names, Runnable then) {
    orders.add(
        () -> {
          Map<TopicPartition, Claim> held = new HashMap<>(claims);
          held.keySet().retainAll(names);
          watch.go(held.keySet());
          listener.onPartitionsRevoked(held.keySet());
          watch.haveGone(held.keySet());
          leave(held);
          then.run();
        });
  }

  /** Others may have them from now on, and its next poll tells it. */
  void lose(Collection<TopicPartition> names) {
    Map<TopicPartition, Claim> lost = new HashMap<>();
    synchronized (group) {
      group.owners.forEach(
          (name, claim) -> {
            if (claim.member == this && names.contains(name)) {
              lost.put(name, claim);
            }
          });
      group.owners.keySet().removeAll(lost.keySet());
    }
    orders.add(
        () -> {
          lost.entrySet().removeIf(e -> claims.get(e.getKey()) != e.getValue());
          leave(lost);
          watch.areLost(lost.keySet());
          listener.onPartitionsLost(lost.keySet());
        });
  }

  /** Its process is killed. */
  void kill() {
    synchronized (group) {
      dead = true;
      group.owners.values().removeIf(claim -> claim.member == this);
    }
  }

  private void leave(Map<TopicPartition, Claim> held) {
    claims.keySet().removeAll(held.keySet());
    paused.removeAll(held.keySet());
    mine.removeAll(held.keySet());
    synchronized (group) {
      held.forEach(group.owners::remove);
    }
  }

  /** Waits until it has polled and looked at what came. */
  void awaitTurn() throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      CountDownLatch turn = new CountDownLatch(1);
      orders.add(turn::countDown);
      turn.await();
    }
  }

  // ---- What ConsumerLoop calls

  void subscribe(Collection<String> topics, ConsumerRebalanceListener newListener) {
    listener = newListener;
  }

  void subscribe(Pattern topics, ConsumerRebalanceListener newListener) {
    listener = newListener;
  }

  ConsumerRecords<byte[], byte[]> poll(Duration timeout) throws InterruptedException {
    polls++;
    lastTimeout = timeout;
    checkAlive();
    for (Runnable order = orders.poll(); order != null; order = orders.poll()) {
      order.run();
    }
    List<Runnable> commits = List.copyOf(commitsUnderWay);
    commitsUnderWay.clear();
    commits.forEach(Runnable::run);
    KafkaException failure = pollFails;
    if (failure != null) {
      pollFails = null;
      throw failure;
    }
    ConsumerRecords<byte[], byte[]> records = fetch();
    if (records.isEmpty() && !timeout.isZero()) {
      Thread.sleep(1);
    }
    return records;
  }

  private ConsumerRecords<byte[], byte[]> fetch() {
    Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> fetched = new HashMap<>();
    Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>();
    int room = maxPollRecords;
    synchronized (group) {
      for (Map.Entry<TopicPartition, Claim> entry : claims.entrySet()) {
        TopicPartition name = entry.getKey();
        Claim claim = entry.getValue();
        if (paused.contains(name)) {
          continue;
        }
        List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
        for (ConsumerRecord<byte[], byte[]> record : group.log.get(name)) {
          if (record.offset() >= claim.next && room > 0) {
            records.add(copy(record, claim.doneBefore.contains(record.offset())));
            room--;
          }
        }
        if (!records.isEmpty()) {
          fetched.put(name, records);
          claim.next = FakeGroup.last(records) + 1;
          next.put(
              name,
              new OffsetAndMetadata(FakeGroup.last(records) + 1, java.util.Optional.of(7), ""));
        }
      }
    }
    return new ConsumerRecords<>(fetched, next);
  }

  private static ConsumerRecord<byte[], byte[]> copy(
      ConsumerRecord<byte[], byte[]> sent, boolean done) {
    RecordHeaders headers = new RecordHeaders();
    if (done) {
      headers.add(FakeGroup.DONE, new byte[0]);
    }
    return new ConsumerRecord<>(
        sent.topic(),
        sent.partition(),
        sent.offset(),
        sent.timestamp(),
        sent.timestampType(),
        sent.serializedKeySize(),
        sent.serializedValueSize(),
        sent.key(),
        sent.value(),
        headers,
        sent.leaderEpoch());
  }

  void pause(Collection<TopicPartition> names) {
    check(names);
    paused.addAll(names);
  }

  void resume(Collection<TopicPartition> names) {
    check(names);
    paused.removeAll(names);
  }

  private void check(Collection<TopicPartition> names) {
    if (!claims.keySet().containsAll(names)) {
      throw new IllegalStateException("not assigned: " + names);
    }
  }

  Set<TopicPartition> paused() {
    return Set.copyOf(paused);
  }

  long position(TopicPartition name, Duration timeout) {
    return claims.get(name).next;
  }

  OptionalLong currentLag(TopicPartition name) {
    Claim claim = claims.get(name);
    synchronized (group) {
      return claim == null
          ? OptionalLong.empty()
          : OptionalLong.of(
              group.log.get(name).stream().filter(r -> r.offset() >= claim.next).count());
    }
  }

  Map<TopicPartition, OffsetAndMetadata> committed(Set<TopicPartition> names) {
    checkAlive();
    synchronized (group) {
      Map<TopicPartition, OffsetAndMetadata> found = new HashMap<>(group.committed);
      found.keySet().retainAll(names);
      return found;
    }
  }

  void commitAsync(Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback callback) {
    checkMine(offsets);
    boolean fails = failing > 0 && random.nextInt(failing) == 0;
    Map<TopicPartition, Claim> by = Map.copyOf(claims);
    commitsUnderWay.add(
        () -> {
          Exception failure =
              fails ? new RetriableCommitFailedException("planted") : apply(offsets, by);
          callback.onComplete(offsets, failure);
        });
  }

  void commitSync(Map<TopicPartition, OffsetAndMetadata> offsets, Duration timeout) {
    checkAlive();
    checkMine(offsets);
    List<Runnable> commits = List.copyOf(commitsUnderWay); // these are waited for first
    commitsUnderWay.clear();
    commits.forEach(Runnable::run);
    KafkaException failure = apply(offsets, claims);
    if (failure != null) {
      throw failure;
    }
  }

  private void checkMine(Map<TopicPartition, OffsetAndMetadata> offsets) {
    if (!mine.containsAll(offsets.keySet())) {
      group.faults.add("a commit that is too late: " + offsets + ", of " + mine);
    }
  }

  /** As the broker does it: a commit by a consumer that is not the owner is refused. */
  private KafkaException apply(
      Map<TopicPartition, OffsetAndMetadata> offsets, Map<TopicPartition, Claim> by) {
    synchronized (group) {
      if (dead
          || !offsets.keySet().stream().allMatch(name -> by.get(name) == group.owners.get(name))) {
        return new CommitFailedException("not its partitions");
      }
      if (refusesMetadata && offsets.values().stream().anyMatch(o -> !o.metadata().isEmpty())) {
        return new OffsetMetadataTooLarge("planted");
      }
      offsets.forEach(this::checkDone);
      offsets.forEach(this::checkNotForgotten);
      group.committed.putAll(offsets);
      return null;
    }
  }

  private void checkDone(TopicPartition name, OffsetAndMetadata offset) {
    if (offset.metadata().length() > DoneRuns.MAX_CHARS) {
      group.faults.add("metadata of " + offset.metadata().length() + " characters");
    }
    for (ConsumerRecord<byte[], byte[]> record : group.log.get(name)) {
      if (FakeGroup.says(offset, record) && !group.isDone.test(record)) {
        group.faults.add(
            name + ": " + record.offset() + " is not done, but is in the commit " + offset);
      }
    }
  }

  private void checkNotForgotten(TopicPartition name, OffsetAndMetadata now) {
    OffsetAndMetadata before = group.committed.get(name);
    for (ConsumerRecord<byte[], byte[]> record : group.log.get(name)) {
      if (before != null && FakeGroup.says(before, record) && !FakeGroup.says(now, record)) {
        group.faults.add(record.offset() + " is done in the commit " + before + ", not in " + now);
      }
    }
  }

  void close(CloseOptions options) {
    closed = true;
    if (!dead) {
      Map<TopicPartition, Claim> held = Map.copyOf(claims);
      listener.onPartitionsRevoked(held.keySet());
      leave(held);
    }
  }

  private void checkAlive() {
    if (dead) {
      throw new KafkaException("killed");
    }
  }

  /** A partition is a member's. */
  static final class Claim {
    final FakeMember member;
    long next;
    DoneRuns doneBefore = new DoneRuns();

    Claim(FakeMember member) {
      this.member = member;
    }

    void reset(long offset) {
      next = offset;
      doneBefore = new DoneRuns();
    }

    void begin(OffsetAndMetadata committed) {
      if (committed != null) {
        next = committed.offset();
        doneBefore = FakeGroup.beyond(committed);
      }
    }
  }
}
