package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files that a server serves, and where a request finds them: in a prebuilt response first,
 * then on disk.
 */
class FileStore implements AutoCloseable {
  /** How long {@link #close} takes at most. */
  static final long CLOSE_MILLIS = 1_000;

  private static final Logger LOG = LoggerFactory.getLogger(FileStore.class);

  final Disk disk;
  final PrebuiltResponses prebuilt;
  private final ServedFolder folder;
  private final int smallFile;
  private final boolean paged;

  /**
   * Makes a store of a folder and its prebuilt responses.
   *
   * @param smallFile up to this size, in bytes, the tag is a hash of the content
   * @param paged whether that content is passed on, for a {@link PageCache}
   */
  FileStore(
      ServedFolder folder, Disk disk, PrebuiltResponses prebuilt, int smallFile, boolean paged) {
    this.folder = folder;
    this.disk = disk;
    this.prebuilt = prebuilt;
    this.smallFile = smallFile;
    this.paged = paged;
  }

  /**
   * Opens the folder, and reads small files.
   *
   * @param paged whether they are read on demand instead, for a {@link PageCache}
   * @throws IOException if it cannot be read
   */
  static FileStore open(SwsConfig config, boolean paged) throws IOException {
    config.check();
    int smallFile = config.prebuiltFileBytes();
    ServedFolder folder = ServedFolder.open(config.root());
    Disk disk = null;
    FileStore store = null;
    try {
      disk = new Disk(config.maxClients());
      long limit = paged ? 0 : config.prebuiltBytes();
      PrebuiltResponses prebuilt = new PrebuiltResponses(folder, smallFile, limit, disk.refreshes);
      store = new FileStore(folder, disk, prebuilt, smallFile, paged);
      return store;
    } finally {
      if (store == null) {
        if (disk != null) {
          disk.close();
        }
        folder.close();
      }
    }
  }

  /** Stops the threads; one that hangs in a disk access may keep the folder open. */
  @Override
  public void close() {
    disk.close();
    Thread closer =
        new Thread(
            () -> {
              try {
                folder.close();
              } catch (IOException e) {
                LOG.debug("the folder was not closed well", e);
              }
            },
            "sws-folder-close");
    closer.setDaemon(true);
    closer.start();
    try {
      closer.join(CLOSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Finds a response in memory, or returns what to look up on disk. Any thread; never blocks on a
   * local disk.
   */
  Found find(Request request, HttpClock now) {
    Refusal refusal = request.refusal();
    try {
      return refusal == null ? find(request.target(), now) : new Found.Nothing(refusal);
    } catch (Refusal noPath) {
      return new Found.Nothing(noPath);
    }
  }

  private Found find(String target, HttpClock now) throws Refusal {
    PrebuiltResponse hit = prebuilt.find(target, now);
    if (hit != null) {
      return hit;
    }
    Found.OnDisk place = Found.OnDisk.of(target);
    String canonical = place.url().canonical();
    hit = canonical.equals(target) ? null : prebuilt.find(canonical, now);
    return hit == null ? place : hit;
  }

  /**
   * Looks up on disk. Blocks: called on a disk thread.
   *
   * @throws Refusal if it may not be served
   * @throws IOException if it does not exist
   */
  Found look(Found.OnDisk place) throws IOException, Refusal {
    UrlPath url = place.url();
    long millis = System.currentTimeMillis();
    ServedFolder.Node node = folder.open(url.names());
    if (node instanceof ServedFolder.OpenFile file) {
      if (url.slash()) {
        file.close();
        throw Refusal.notFound();
      }
      return found(file, url.names(), millis);
    }
    node.close();
    if (!url.slash() && !url.names().isEmpty()) {
      return new Found.Redirect(url.canonical() + '/' + place.query());
    }
    return index(url);
  }

  private Found index(UrlPath url) throws IOException, Refusal {
    List<String> names = url.below(PrebuiltResponses.INDEX);
    try {
      long millis = System.currentTimeMillis();
      ServedFolder.Node node = folder.open(names);
      if (node instanceof ServedFolder.OpenFile file) {
        return found(file, names, millis);
      }
      node.close(); // a directory named like an index file is not one
    } catch (IOException e) {
      if (!Refusal.isAbsence(e)) {
        throw e;
      }
    }
    return new Found.Directory(url);
  }

  /** Examines a file opened after {@code millis}, and closes it unless it is returned. */
  private Found found(ServedFolder.OpenFile open, List<String> names, long millis)
      throws IOException, Refusal {
    FileInfo file = open.info();
    boolean handedOn = false;
    try {
      EntityTag tag;
      if (file.size() > smallFile) {
        tag = EntityTag.ofFile(file, folder.stamp(names), millis);
      } else if (paged) {
        return PrebuiltResponse.read(open, null, HttpClock.now());
      } else {
        tag = EntityTag.ofContent(open.read(ByteBuffer.allocate((int) file.size())));
      }
      handedOn = true;
      return new Found.File(open, Representation.of(file, tag));
    } finally {
      if (!handedOn) {
        open.close();
      }
    }
  }

  /**
   * Renders a directory. Blocks: called on a disk thread.
   *
   * @param wanted whether the client still waits; if not, this stops early
   */
  Found list(Found.Directory directory, BooleanSupplier wanted) throws IOException, Refusal {
    return new Found.Page(DirectoryListing.render(folder, directory.url(), wanted));
  }
}
