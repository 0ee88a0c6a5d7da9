package dev.mely.examples.sws;

import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A lookup on disk for one request. Answers once: with what was found, or with a refusal if that
 * takes too long. Stops early if the client has left.
 */
final class DiskLookup implements DiskThreads.Job {
  private static final Logger LOG = LoggerFactory.getLogger(DiskLookup.class);
  private static final SparseLog SHORTAGE = new SparseLog(LOG);

  private final FileStore store;
  private final Found.OnDisk place;
  private final Executor loop;
  private final BooleanSupplier wanted;
  private final Consumer<Found> consumer;

  /** The answer: the first one set wins. */
  private final AtomicReference<@Nullable Found> answer = new AtomicReference<>();

  /** Whether the answer has been passed to the loop. */
  private final AtomicBoolean handedOn = new AtomicBoolean();

  /** Allocated at the start, where a lack of memory is easy to handle. */
  private final Runnable arrival = this::arrive;

  /** Set once the target is known to be a listing; published by the queue of the threads. */
  private Found.@Nullable Directory directory;

  /**
   * Prepares a lookup.
   *
   * @param loop runs the connection's tasks
   * @param wanted whether the client is still connected; called by any thread
   * @param consumer gets the answer, on the loop
   */
  DiskLookup(
      FileStore store,
      Found.OnDisk place,
      Executor loop,
      BooleanSupplier wanted,
      Consumer<Found> consumer) {
    this.store = store;
    this.place = place;
    this.loop = loop;
    this.wanted = wanted;
    this.consumer = consumer;
  }

  /**
   * Starts the lookup. The consumer is not called before this returns.
   *
   * @return null; or the answer, if too many lookups are waiting
   */
  Found.@Nullable Nothing start() {
    try {
      enter(store.disk.files);
      return null;
    } catch (Refusal tooMany) {
      return new Found.Nothing(tooMany);
    }
  }

  /** After any failure except a refusal, {@link DiskThreads} calls {@link #overdue}. */
  private void enter(DiskThreads threads) throws Refusal {
    try {
      threads.execute(this);
    } catch (RejectedExecutionException tooMany) {
      throw Refusal.of(Status.SERVICE_UNAVAILABLE, "Too many requests wait for the disk.");
    }
  }

  private boolean isWanted() {
    return answer.get() == null && wanted.getAsBoolean();
  }

  @Override
  public void run() {
    if (!isWanted()) {
      return;
    }
    Found found;
    try {
      found = look();
      if (found instanceof Found.Directory unlisted) {
        directory = unlisted;
        enter(store.disk.listings);
        return;
      }
    } catch (Refusal refusal) {
      found = new Found.Nothing(refusal);
    } catch (IOException e) {
      if (Refusal.isShortage(e)) {
        SHORTAGE.warn("cannot open files: {}", e.toString());
      }
      found = new Found.Nothing(Refusal.of(e));
    }
    answer(found);
  }

  private Found look() throws IOException, Refusal {
    Found.Directory listed = directory;
    return listed == null ? store.look(place) : store.list(listed, this::isWanted);
  }

  /** Answers, if that is still to be done: the lookup takes too long, or has failed. */
  @Override
  public void overdue(boolean failed) {
    if (answer.get() == null) {
      answer(
          new Found.Nothing(
              failed
                  ? Refusal.of(Status.INTERNAL_SERVER_ERROR, "The file could not be read.")
                  : Refusal.of(Status.SERVICE_UNAVAILABLE, "The disk takes too long.")));
    } else {
      handOn();
    }
  }

  private void answer(Found found) {
    if (answer.compareAndSet(null, found)) {
      handOn();
    } else {
      found.discard();
    }
  }

  /** Throws the loop's exception if it accepts no task now; must be called again then. */
  private void handOn() {
    if (!handedOn.compareAndSet(false, true)) {
      return;
    }
    boolean done = false;
    try {
      loop.execute(arrival);
      done = true;
    } finally {
      if (!done && wanted.getAsBoolean()) {
        handedOn.set(false);
      } else if (!done) {
        Objects.requireNonNull(answer.get()).discard();
      }
    }
  }

  private void arrive() {
    consumer.accept(Objects.requireNonNull(answer.get()));
  }
}
