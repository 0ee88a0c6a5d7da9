package dev.mely.examples.kv;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.nio.Nio;
import dev.mely.nio.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The append-only file, in a color of its own.
 *
 * <p><b>Order.</b> Who changes something registers its record here while it still holds the colors
 * of what it has changed. So of two effects on one key the records are in the order of the effects,
 * and a record never comes before one that its command could have seen; what is left after a crash
 * is a beginning of that order.
 *
 * <p><b>Group commit.</b> One call is under way at a time, on a helper thread: it writes all that
 * has come meanwhile, and syncs it once. Answers that must wait for that come here last of all, so
 * their records are here already, and those of what they have seen.
 */
final class AppendLog {
  private static final Logger LOG = LoggerFactory.getLogger(AppendLog.class);
  private static final Duration SECOND = Duration.ofSeconds(1);

  /** While more than that is not written, in bytes, answers wait whatever the policy is. */
  private static final long MUCH = 64 << 20;

  /** A snapshot does not go on while more than that of it is not written. */
  private static final long MUCH_SNAPSHOT = 8 << 20;

  private final Nio nio;
  private final Mely mely;
  private final Store store;
  private final Fsync fsync;
  private final long rewriteMin;
  private final Runnable whenFailed;
  private final Color color;

  private final Handler<LogRecord> append = Handler.named("Append", this::take);
  private final Handler<Walk> await = Handler.named("Await", this::hold);
  private final Handler<Operation<LogJob>> written = Handler.named("Written", this::written);
  private final Handler<Operation<LogFile>> opened = Handler.named("Opened", this::opened);
  private final Handler<Snapshot> go = Handler.named("SnapshotTaken", this::snapshotTaken);

  // ---- All that follows belongs to the color

  private LogFile file;
  private List<ByteBuffer> records = new ArrayList<>();
  private List<Walk> waiting = new ArrayList<>();

  /** Wait for the call that is under way. */
  private List<Walk> covered = new ArrayList<>();

  private @Nullable LogJob job;
  private boolean unsynced;
  private long lastSync = System.nanoTime();

  /** What takes the place of the file, while it is being made. */
  private @Nullable LogFile fresh;

  private List<ByteBuffer> freshRecords = new ArrayList<>();
  private long freshBytes;

  /** All of the snapshot has come. */
  private boolean complete;

  /** Waits until enough has been written. */
  private @Nullable Snapshot resting;

  // ---- For others to look at

  private volatile long pending;
  private volatile long size;
  private volatile long baseSize;
  private volatile boolean rewriting;
  private volatile boolean failed;

  /**
   * Goes on with a file.
   *
   * @param file has been read to its end
   * @param rewriteMin from which size on it is rewritten when it has doubled, in bytes
   * @param whenFailed called once if it can be written no more
   */
  AppendLog(Nio nio, Store store, LogFile file, Fsync fsync, long rewriteMin, Runnable whenFailed)
      throws IOException {
    this.nio = nio;
    this.mely = nio.mely();
    this.store = store;
    this.file = file;
    this.fsync = fsync;
    this.rewriteMin = rewriteMin;
    this.whenFailed = whenFailed;
    color = mely.newColor();
    size = file.size();
    baseSize = size;
    if (fsync == Fsync.EVERYSEC) {
      mely.scheduleWithFixedDelay(
          color, Handler.named("WriteLog", AppendLog::write), this, SECOND, SECOND);
    }
  }

  // ---- Any color

  /** Appends what has been done together. To be called while its colors are held. */
  void append(List<byte[][]> effects) {
    mely.register(color, append, LogRecord.of(effects, false));
  }

  /** Whether answers must come here before they leave. */
  boolean holdsAnswers() {
    return fsync == Fsync.ALWAYS || pending > MUCH || failed;
  }

  /** Lets a walk go home when all that it has done and seen has been kept. */
  void await(Walk walk) {
    mely.register(color, await, walk);
  }

  /** Begins to rewrite the file; false: it is being done. */
  boolean startRewrite() {
    if (rewriting) {
      return false;
    }
    mely.execute(color, this::rewrite);
    return true;
  }

  Fsync fsync() {
    return fsync;
  }

  boolean isRewriting() {
    return rewriting;
  }

  /** How long the file is, in bytes. */
  long size() {
    return size;
  }

  /** How long it was when it was read, or was last rewritten. */
  long baseSize() {
    return baseSize;
  }

  // ---- In its color

  private void take(LogRecord record) {
    if (failed) {
      return;
    }
    if (fresh != null) {
      freshRecords.add(record.bytes.duplicate());
      freshBytes += record.bytes.remaining();
    }
    if (!record.snapshot) {
      records.add(record.bytes);
      count(record.bytes.remaining());
    }
    write();
  }

  /** Written in this color alone. */
  private void count(long more) {
    long now = pending + more;
    pending = now;
  }

  private void hold(Walk walk) {
    if (failed) {
      walk.lost();
    } else if (!records.isEmpty()) {
      waiting.add(walk);
    } else if (job != null) {
      covered.add(walk);
    } else {
      walk.kept();
    }
  }

  /** Writes what there is, unless that is being done; what comes meanwhile goes together then. */
  private void write() {
    if (job != null || failed) {
      return;
    }
    boolean due = (unsynced || !records.isEmpty()) && isDue();
    if (records.isEmpty() && freshRecords.isEmpty() && !due) {
      return;
    }
    LogJob next = new LogJob(file, records, due, fresh, freshRecords, complete && fresh != null);
    job = next;
    records = new ArrayList<>();
    freshRecords = new ArrayList<>();
    freshBytes = 0;
    covered.addAll(waiting);
    waiting.clear();
    nio.call(next::perform, color, written);
  }

  private boolean isDue() {
    return switch (fsync) {
      case ALWAYS -> true;
      case EVERYSEC -> System.nanoTime() - lastSync >= SECOND.toNanos();
      case NO -> false;
    };
  }

  private void written(Operation<LogJob> operation) {
    LogJob done;
    try {
      done = operation.get();
    } catch (IOException | RuntimeException e) {
      fail(e);
      return;
    }
    job = null;
    count(-done.bytes());
    size = done.size();
    if (done.synced()) {
      unsynced = false;
      lastSync = System.nanoTime();
    } else {
      unsynced |= done.bytes() > 0;
    }
    List<Walk> kept = covered;
    covered = new ArrayList<>();
    kept.forEach(Walk::kept);
    if (fresh != null) {
      rewritten(done);
    } else if (size >= rewriteMin && size / 2 >= baseSize && !rewriting) {
      rewrite();
    }
    write();
  }

  /** Nothing can be kept any more: nobody is told that something is. */
  private void fail(Exception why) {
    LOG.error("the append-only file cannot be written: the server ends", why);
    failed = true;
    covered.forEach(Walk::lost);
    waiting.forEach(Walk::lost);
    covered.clear();
    waiting.clear();
    records.clear();
    freshRecords.clear();
    whenFailed.run();
  }

  // ---- Rewriting

  private void rewrite() {
    if (!rewriting && !failed) {
      rewriting = true;
      nio.call(file::beginNew, color, opened);
    }
  }

  private void opened(Operation<LogFile> operation) {
    try {
      fresh = operation.get();
    } catch (IOException e) {
      giveUp(e);
      return;
    }
    complete = false;
    new Snapshot(mely, store, this).next();
  }

  /** A part of a snapshot. From where its partition is read. */
  void snapshot(LogRecord part) {
    mely.register(color, append, part);
  }

  /** A partition is through: all of it is registered here. From where it is read. */
  void taken(Snapshot snapshot) {
    mely.register(color, go, snapshot);
  }

  private void snapshotTaken(Snapshot snapshot) {
    if (fresh == null) {
      return; // given up
    }
    if (!snapshot.hasNext()) {
      complete = true;
      take(LogRecord.of(List.of(new byte[][][] {{LogReader.BASE}}), true));
    } else if (freshBytes > MUCH_SNAPSHOT) {
      resting = snapshot;
    } else {
      snapshot.next();
    }
  }

  private void rewritten(LogJob done) {
    IOException failure = done.freshFailure();
    if (failure != null) {
      giveUp(failure);
    } else if (done.replaces()) {
      LogFile old = file;
      file = done.fresh();
      closeQuietly(old);
      fresh = null;
      freshRecords.clear(); // they wait for the file that is the file now
      freshBytes = 0;
      baseSize = size;
      rewriting = false;
      LOG.info("the append-only file has been rewritten: {} bytes", size);
    } else if (resting != null) {
      Snapshot snapshot = resting;
      resting = null;
      snapshot.next();
    }
  }

  private void giveUp(IOException why) {
    LOG.warn("the append-only file could not be rewritten, and goes on as it is", why);
    if (fresh != null) {
      try {
        fresh.discard();
      } catch (IOException e) {
        LOG.debug("the new file was not removed", e);
      }
    }
    fresh = null;
    resting = null;
    freshRecords.clear();
    freshBytes = 0;
    baseSize = size; // not again at once
    rewriting = false;
  }

  private static void closeQuietly(LogFile old) {
    try {
      old.close();
    } catch (IOException e) {
      LOG.debug("the old file was not closed well", e);
    }
  }

  // ---- The end

  /** Writes what is left. When no event runs any more. */
  void close() {
    try {
      if (!failed) {
        LogJob last = job;
        if (last != null) {
          last.perform(); // or waits until it is done
          if (last.replaces() && last.freshFailure() == null) {
            file = last.fresh();
            fresh = null;
          }
        }
        file.write(records);
        file.sync();
      }
      if (fresh != null) {
        fresh.discard();
      }
      file.close();
    } catch (IOException e) {
      LOG.error("the append-only file was not written to its end", e);
    }
  }
}
