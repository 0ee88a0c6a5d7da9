package dev.mely.kafka;

import dev.mely.Mely;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jctools.queues.atomic.MpscUnboundedAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The thread of a consumer: it polls, hands records over to the colors, and commits what has come
 * back from them.
 *
 * <pre>
 *   broker --poll--&gt; ConsumerLoop --Dispatcher--&gt; colors: RecordRunner
 *     ^                   |  ^                       |
 *     +-----Commits-------+  +------- ended ---------+
 *
 *   RUNNING ---close---&gt; DRAINING: nothing new is taken ---all done, or deadline---&gt; ENDED
 *      |                                                                              ^
 *      +---a failure---&gt; STOPPING: what has not begun is left ---handlers returned----+
 * </pre>
 *
 * <p>It waits for handlers while a partition goes, not longer than the deadline, and for some
 * milliseconds while nothing may be fetched: so the consumer stays a member of its group however
 * long handlers take.
 */
final class ConsumerLoop<K, V> implements Runnable, RecordRunner.Owner, ConsumerRebalanceListener {
  private static final System.Logger LOGGER = System.getLogger("dev.mely.kafka");

  private static final Duration LONGEST_POLL = Duration.ofMillis(100);

  /** While some partitions are paused: handlers, which make room, do not end a poll. */
  private static final Duration SHORT_POLL = Duration.ofMillis(1);

  /** While all are paused: how long it waits for handlers, before it polls again. */
  private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private static final long SNAPSHOT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int CHUNK = 1024;

  private final Mely mely;
  private final Consumer<byte[], byte[]> consumer;
  private final BiConsumer<Consumer<byte[], byte[]>, ConsumerRebalanceListener> subscription;
  private final Limits limits;
  private final Duration deadline;
  private final Commits commits;
  private final RecordRunner<K, V> runner;
  private final Dispatcher<K, V> dispatcher;
  private final @Nullable DeadLetters deadLetters;
  private final long logNanos;

  private final Map<TopicPartition, PartitionOffsets> partitions = new HashMap<>();
  private final Queue<PendingRecord> ended = new MpscUnboundedAtomicArrayQueue<>(CHUNK);
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final CompletableFuture<Void> end = new CompletableFuture<>();

  private boolean full;

  /** Whether all partitions are paused. */
  private boolean allPaused;

  /** Whether one is, at least. */
  private boolean anyPaused;

  private long records;
  private long skipped;
  private long lastSnapshot;
  private long lastLog = System.nanoTime();

  private volatile boolean closing;
  private volatile @Nullable Thread thread;
  private volatile Progress progress =
      new Progress(0, 0, 0, 0, 0, 0, 0, 0, 0, Duration.ZERO, Map.of());

  /**
   * How many records have to be in {@link #ended} before the thread that waits is woken. Written
   * before {@link #waiting}, which is volatile.
   */
  private long awaited;

  /** It waits for records to come back from the colors; null: it does not. */
  private volatile @Nullable Thread waiting;

  ConsumerLoop(KafkaColorsBuilder<K, V> settings) {
    this.mely = settings.mely();
    this.subscription = settings.subscription();
    this.limits = settings.limits();
    this.deadline = settings.deadline();
    this.deadLetters = settings.newDeadLetters();
    this.runner =
        new RecordRunner<>(
            settings.mely(), settings.handler(), settings.retries(), deadLetters, this);
    this.dispatcher = settings.newDispatcher(runner, deadLetters != null);
    this.logNanos = settings.logInterval().toNanos();
    this.consumer = settings.newConsumer(); // last: it has threads and connections
    this.commits = new Commits(consumer, settings.commitInterval());
  }

  // ---- Any thread

  /** Completes when the consumer is closed, exceptionally if a failure has stopped it. */
  CompletableFuture<Void> end() {
    return end;
  }

  Progress progress() {
    return progress;
  }

  void stop() {
    closing = true;
    wake();
  }

  /** Whether the caller is needed for the end. */
  boolean isWithin() {
    return runner.isInside() || Thread.currentThread() == thread;
  }

  @Override
  public boolean isStopping() {
    return failure.get() != null;
  }

  @Override
  public void fail(Throwable cause) {
    if (failure.compareAndSet(null, cause)) {
      wake();
    }
  }

  @Override
  public void ended(PendingRecord record) {
    ended.add(record); // volatile, and before the look at waiting (Dekker, see waitForHandlers)
    if (waiting != null && ended.size() >= awaited) {
      wake();
    }
  }

  private void wake() {
    Thread thread = waiting;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  // ---- Its thread

  @Override
  public void run() {
    thread = Thread.currentThread();
    try {
      subscription.accept(consumer, this);
      while (!closing && !isStopping()) {
        turn();
      }
      drain(System.nanoTime() + deadline.toNanos());
    } catch (Throwable t) {
      fail(t);
    }
    finish(System.nanoTime() + deadline.toNanos());
  }

  private void turn() {
    if (mely.isShutdown()) {
      throw new IllegalStateException("the Mely runtime was shut down before the consumer");
    }
    takeEnded();
    dispatcher.registerBacklog();
    pauseAndResume();
    long now = System.nanoTime();
    commits.look(partitions.values(), now);
    look(now);
    ConsumerRecords<byte[], byte[]> polled =
        consumer.poll(allPaused ? Duration.ZERO : anyPaused ? SHORT_POLL : LONGEST_POLL);
    if (!polled.isEmpty() || !polled.nextOffsets().isEmpty()) {
      take(polled);
    } else if (allPaused) {
      long enough = dispatcher.hasBacklog() ? 1 : Math.max(1, dispatcher.pending() / 2);
      waitForHandlers(enough, LONGEST_WAIT_NANOS);
    }
  }

  /**
   * Waits until a number of records have come back from the colors. A wake-up for each of them
   * would cost more than a quick handler does.
   *
   * @param count how many records
   * @param nanos how long it waits at most
   */
  private void waitForHandlers(long count, long nanos) {
    awaited = count;
    waiting = Thread.currentThread(); // volatile, and before the look at the queue (Dekker)
    if (ended.size() < count) {
      LockSupport.parkNanos(this, nanos);
    }
    waiting = null;
  }

  private void take(ConsumerRecords<byte[], byte[]> polled) {
    Map<TopicPartition, OffsetAndMetadata> positions = polled.nextOffsets();
    long now = System.nanoTime();
    for (TopicPartition name : polled.partitions()) {
      for (ConsumerRecord<byte[], byte[]> record : polled.records(name)) {
        take(name, record, now);
      }
    }
    positions.forEach(
        (name, position) -> {
          PartitionOffsets partition = partitions.get(name);
          if (partition != null) {
            partition.received(position);
          }
        });
  }

  private void take(TopicPartition name, ConsumerRecord<byte[], byte[]> record, long now) {
    PartitionOffsets partition = partitions.get(name);
    if (partition == null || partition.isBehind(record.offset())) {
      if (partition != null) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            name + " was reset to offset " + record.offset() + " while it was read: " + partition);
        partition.revoke();
      }
      partition = new PartitionOffsets(name, new DoneRuns(), record.offset(), true);
      partitions.put(name, partition);
    }
    if (partition.isDone(record.offset())) {
      skipped++;
      partition.skip(record.offset());
      return;
    }
    LiveKey key = dispatcher.dispatch(partition, record, now).key;
    if (partition.heldBack == null && limits.isFull(key)) {
      partition.heldBack = key;
    }
  }

  /** Takes what has come back from the colors. */
  private void takeEnded() {
    for (PendingRecord record = ended.poll(); record != null; record = ended.poll()) {
      dispatcher.ended(record);
      if (record.state() == PendingRecord.DONE) {
        records++;
        record.partition.done();
      }
    }
  }

  // ---- Back-pressure

  private void pauseAndResume() {
    full = limits.isFull(full, dispatcher.pending(), dispatcher.pendingBytes());
    boolean all = full || dispatcher.hasBacklog() || closing;
    allPaused = all || !partitions.isEmpty();
    anyPaused = all;
    List<TopicPartition> pause = new ArrayList<>();
    List<TopicPartition> resume = new ArrayList<>();
    for (PartitionOffsets partition : partitions.values()) {
      limits.look(partition);
      boolean paused = all || partition.full || partition.heldBack != null;
      allPaused &= paused;
      anyPaused |= paused;
      if (paused != partition.paused) {
        partition.paused = paused;
        (paused ? pause : resume).add(partition.partition);
      }
    }
    if (!pause.isEmpty()) {
      consumer.pause(pause);
    }
    if (!resume.isEmpty()) {
      consumer.resume(resume);
    }
  }

  // ---- Rebalances; called inside of a poll

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> assigned) {
    Map<TopicPartition, OffsetAndMetadata> committed = committed(assigned);
    for (TopicPartition name : assigned) {
      PartitionOffsets before = partitions.put(name, begin(name, committed.get(name)));
      if (before != null) {
        before.revoke();
      }
    }
  }

  private PartitionOffsets begin(TopicPartition name, @Nullable OffsetAndMetadata committed) {
    if (committed != null) {
      return new PartitionOffsets(name, doneBefore(committed, name), committed.offset(), false);
    }
    long next = -1;
    try {
      next = consumer.position(name, deadline);
    } catch (KafkaException e) {
      LOGGER.log(System.Logger.Level.WARNING, "the position in " + name + " is not known yet", e);
    }
    return new PartitionOffsets(name, new DoneRuns(), next, true);
  }

  private Map<TopicPartition, OffsetAndMetadata> committed(Collection<TopicPartition> assigned) {
    try {
      return assigned.isEmpty() ? Map.of() : consumer.committed(Set.copyOf(assigned));
    } catch (KafkaException e) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "the metadata of commits cannot be read: records beyond them are handled again",
          e);
      return Map.of();
    }
  }

  private static DoneRuns doneBefore(OffsetAndMetadata committed, TopicPartition name) {
    try {
      return DoneRuns.decode(committed.offset(), committed.metadata());
    } catch (IllegalArgumentException e) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "the metadata of the commit of "
              + name
              + " is ignored ("
              + e.getMessage()
              + "): \""
              + committed.metadata()
              + '"');
      return new DoneRuns();
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> revoked) {
    List<PartitionOffsets> going = remove(revoked);
    waitForRunning(going);
    commits.now(going, deadline);
  }

  /** The partitions may be another consumer's by now: a commit would be one too late. */
  @Override
  public void onPartitionsLost(Collection<TopicPartition> lost) {
    remove(lost);
  }

  private List<PartitionOffsets> remove(Collection<TopicPartition> names) {
    List<PartitionOffsets> removed = new ArrayList<>();
    for (TopicPartition name : names) {
      PartitionOffsets partition = partitions.remove(name);
      if (partition != null) {
        partition.revoke();
        removed.add(partition);
      }
    }
    return removed;
  }

  private void waitForRunning(Collection<PartitionOffsets> going) {
    waitForRunning(going, System.nanoTime() + deadline.toNanos());
  }

  private void waitForRunning(Collection<PartitionOffsets> going, long end) {
    takeEnded();
    while (going.stream().anyMatch(PartitionOffsets::hasRunning) && end - System.nanoTime() > 0) {
      waitForHandlers(1, TimeUnit.MILLISECONDS.toNanos(1));
      takeEnded();
    }
  }

  // ---- The end

  /** What has been received is handled. */
  private void drain(long end) {
    while (dispatcher.pending() > 0 && !isStopping() && end - System.nanoTime() > 0) {
      turn();
    }
  }

  private void finish(long end) {
    List<PartitionOffsets> all = List.copyOf(partitions.values());
    all.forEach(PartitionOffsets::revoke);
    attempt(() -> waitForRunning(all, end));
    attempt(() -> commits.now(all, deadline));
    attempt(() -> snapshot(System.nanoTime()));
    partitions.clear(); // closing revokes them: they have been committed
    attempt(() -> consumer.close(CloseOptions.timeout(deadline)));
    if (deadLetters != null) {
      attempt(() -> deadLetters.close(deadline));
    }
    attempt(dispatcher::close);
    Throwable cause = failure.get();
    if (cause == null) {
      this.end.complete(null);
    } else {
      LOGGER.log(System.Logger.Level.ERROR, "the consumer has stopped", cause);
      this.end.completeExceptionally(cause);
    }
  }

  private void attempt(Runnable step) {
    try {
      step.run();
    } catch (Throwable t) {
      fail(t);
    }
  }

  // ---- For people

  private void look(long now) {
    if (now - lastSnapshot >= SNAPSHOT_NANOS) {
      snapshot(now);
    }
    if (logNanos > 0 && now - lastLog >= logNanos) {
      lastLog = now;
      LOGGER.log(System.Logger.Level.INFO, progress.toString());
    }
  }

  private void snapshot(long now) {
    lastSnapshot = now;
    Map<TopicPartition, Progress.Partition> each = new HashMap<>();
    long oldest = 0;
    for (PartitionOffsets partition : partitions.values()) {
      each.put(
          partition.partition,
          new Progress.Partition(
              consumer.currentLag(partition.partition).orElse(-1),
              partition.size(),
              partition.paused));
      oldest = partition.size() > 0 ? Math.max(oldest, now - partition.oldest()) : oldest;
    }
    progress =
        new Progress(
            records,
            skipped,
            runner.again.sum(),
            deadLetters == null ? 0 : deadLetters.sent.sum(),
            commits.succeeded(),
            commits.failed(),
            dispatcher.pending(),
            dispatcher.pendingBytes(),
            dispatcher.liveKeys(),
            Duration.ofNanos(oldest),
            Map.copyOf(each));
  }
}
