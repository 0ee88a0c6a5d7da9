package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The responses to small files, built at start-up: the paper's cache, an immutable map that every
 * core reads without a lock. The set of URLs is immutable; each has a place, whose response may be
 * replaced.
 *
 * <p>An entry in use is compared with its file ({@link FileStamp}) once a second. If the file has
 * changed, or had changed so shortly before it was read that another change might not show,
 * requests are served from disk until a background thread has put in a new response. So a change
 * shows within a second; between two checks, a client may get the old version, but never a mix of
 * two. Files created after start-up are served from disk.
 *
 * <p>An event loop does no more than that check, which can neither block on a pipe nor let in a
 * file from outside: it opens nothing, and the content comes from memory. It requires that no part
 * of the file's path is a link, as when the file was read.
 */
final class PrebuiltResponses {
  /** The file that stands for its directory. */
  static final String INDEX = "index.html";

  private static final Logger LOG = LoggerFactory.getLogger(PrebuiltResponses.class);

  /** Where the response to a file is kept. Any thread, except where stated. */
  static final class Place {
    final List<String> names;
    final Path path;
    final AtomicBoolean refreshing = new AtomicBoolean();

    /** Null: served from disk. Replaced only by the thread that has set {@link #refreshing}. */
    volatile @Nullable PrebuiltResponse response;

    Place(List<String> names, Path path, PrebuiltResponse response) {
      this.names = names;
      this.path = path;
      this.response = response;
    }

    /** Memory taken. */
    long bytes() {
      PrebuiltResponse kept = response;
      return kept == null ? 0 : kept.file().size();
    }
  }

  private final ServedFolder folder;
  private final int fileLimit;
  private final long totalLimit;
  private final DiskThreads background;
  private final Map<String, Place> byUrl;
  private final AtomicLong used = new AtomicLong();

  /**
   * Builds the responses to the files of a folder.
   *
   * @param folder read until the limit is reached
   * @param fileLimit the largest file to keep, in bytes
   * @param totalLimit how many bytes to keep in total; 0: nothing
   * @param background reads files again
   * @throws IOException if the folder cannot be read, or there is not enough memory
   */
  PrebuiltResponses(ServedFolder folder, int fileLimit, long totalLimit, DiskThreads background)
      throws IOException {
    this.folder = folder;
    this.fileLimit = fileLimit;
    this.totalLimit = totalLimit;
    this.background = background;
    this.byUrl =
        totalLimit == 0 ? Map.of() : new PrebuiltReader(folder, fileLimit, totalLimit).read();
    byUrl.values().stream().distinct().forEach(place -> used.addAndGet(place.bytes()));
  }

  /** Finds the response to a target in canonical form; null: ask the disk. Any thread. */
  @Nullable PrebuiltResponse find(String url, HttpClock now) {
    Place place = byUrl.get(url);
    PrebuiltResponse response = place == null ? null : place.response;
    if (place == null || response == null || response.isFresh(now)) {
      return response;
    }
    if (isStill(place.path, response)) {
      response.checked(now);
      return response;
    }
    if (place.refreshing.compareAndSet(false, true)) {
      boolean begun = false;
      try {
        background.execute(new Refresh(place));
        begun = true;
      } catch (RejectedExecutionException tooMany) {
        // The next request tries again.
      } finally {
        if (!begun) {
          place.refreshing.set(false);
        }
      }
    }
    return null;
  }

  /** How many targets are answered from memory. */
  int size() {
    return (int) byUrl.values().stream().filter(place -> place.response != null).count();
  }

  /** How much memory the bodies take. */
  long bytes() {
    return used.get();
  }

  private static boolean isStill(Path path, PrebuiltResponse response) {
    try {
      FileStamp look = FileStamp.of(path, LinkOption.NOFOLLOW_LINKS);
      return response.isOf(look) && path.toRealPath().equals(path);
    } catch (IOException gone) {
      return false;
    }
  }

  /** Reads a file again, on a background thread. */
  private final class Refresh implements DiskThreads.Job {
    private final Place place;
    private volatile boolean started;

    Refresh(Place place) {
      this.place = place;
    }

    @Override
    public void run() {
      started = true;
      try {
        PrebuiltResponse response = read();
        if (response != null) {
          keep(response);
        }
      } catch (IOException | Refusal unreadable) {
        keep(null); // the next request gets the reason from the disk
      } catch (OutOfMemoryError e) {
        keep(null);
        LOG.warn("{} is served from disk from now on: out of memory", place.path);
      } finally {
        place.refreshing.set(false);
      }
    }

    /** Returns null if the file is being written to; the next request tries again. */
    private @Nullable PrebuiltResponse read() throws IOException, Refusal {
      long room = totalLimit - (used.get() - place.bytes());
      long millis = System.currentTimeMillis();
      try (ServedFolder.Node node = folder.walk(place.names)) {
        if (!(node instanceof ServedFolder.OpenFile open)
            || open.info().size() > Math.min(fileLimit, room)) {
          throw new NoSuchFileException(place.path.toString(), null, "has become too large");
        }
        return PrebuiltResponse.read(open, place.path, millis);
      }
    }

    private void keep(@Nullable PrebuiltResponse response) {
      long before = place.bytes();
      place.response = response;
      used.addAndGet(place.bytes() - before);
    }

    /** Requests are served from disk while a refresh runs; one that never starts is withdrawn. */
    @Override
    public void overdue(boolean failed) {
      if (!started) {
        place.refreshing.set(false);
      }
    }
  }
}
