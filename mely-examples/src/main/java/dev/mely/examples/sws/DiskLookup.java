package dev.mely.examples.sws;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The look at the disk for one request. It is answered once: with what was found, or with a refusal
 * if that takes too long. Nothing is looked for, or rendered, for a client that has left.
 */
final class DiskLookup implements DiskThreads.Job {
  private static final Logger LOG = LoggerFactory.getLogger(DiskLookup.class);
  private static final SparseLog SHORTAGE = new SparseLog(LOG);

  private final FileStore store;
  private final Disk disk;
  private final Executor loop;
  private final BooleanSupplier wanted;
  private final Request request;
  private final Consumer<Found> consumer;
  private final AtomicBoolean answered = new AtomicBoolean();

  private final UrlPath url;

  /** Set once it is known that this is to be listed; the queue of the threads publishes it. */
  private Found.@Nullable Directory directory;

  private DiskLookup(
      FileStore store,
      Disk disk,
      Executor loop,
      BooleanSupplier wanted,
      Request request,
      Found.OnDisk place,
      Consumer<Found> consumer) {
    this.store = store;
    this.disk = disk;
    this.loop = loop;
    this.wanted = wanted;
    this.request = request;
    this.url = place.url();
    this.consumer = consumer;
  }

  /**
   * Begins to look.
   *
   * @param loop runs what belongs to the connection
   * @param wanted whether the client is still there; any thread
   * @param consumer gets the answer, on the loop; never before this returns
   * @throws Refusal if too many look already
   */
  static void start(
      FileStore store,
      Disk disk,
      Executor loop,
      BooleanSupplier wanted,
      Request request,
      Found.OnDisk place,
      Consumer<Found> consumer)
      throws Refusal {
    new DiskLookup(store, disk, loop, wanted, request, place, consumer).enter(disk.files);
  }

  private void enter(DiskThreads threads) throws Refusal {
    try {
      threads.execute(this);
    } catch (RejectedExecutionException tooMany) {
      throw Refusal.of(Status.SERVICE_UNAVAILABLE, "Too much is asked of the disk.");
    }
  }

  private boolean isWanted() {
    return !answered.get() && wanted.getAsBoolean();
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
        enter(disk.listings);
        return;
      }
    } catch (Refusal refusal) {
      found = new Found.Nothing(refusal);
    } catch (IOException e) {
      if (Refusal.isShortage(e)) {
        SHORTAGE.warn("cannot open files: {}", e.toString());
      }
      found = new Found.Nothing(Refusal.of(e));
    } catch (RuntimeException | Error e) {
      LOG.error("a request failed unexpectedly", e);
      found =
          new Found.Nothing(
              Refusal.of(Status.INTERNAL_SERVER_ERROR, "The file could not be read."));
    }
    answer(found);
  }

  private Found look() throws IOException, Refusal {
    Found.Directory listed = directory;
    if (listed != null) {
      return store.list(listed, this::isWanted);
    }
    return store.look(url, request.target());
  }

  @Override
  public void overdue() {
    answer(new Found.Nothing(Refusal.of(Status.SERVICE_UNAVAILABLE, "The disk takes too long.")));
  }

  private void answer(Found found) {
    if (!answered.compareAndSet(false, true)) {
      found.discard();
      return;
    }
    try {
      loop.execute(() -> consumer.accept(found));
    } catch (RejectedExecutionException stopped) {
      found.discard();
    }
  }
}
