package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Finds what a request target names: a prebuilt response first, then the disk. */
class FileStore {
  private final ServedFolder folder;
  private final PrebuiltResponses prebuilt;
  private final int smallFile;

  /**
   * Finds in memory and in the folder.
   *
   * @param smallFile up to this size, in bytes, the content is read to tell versions apart
   */
  FileStore(ServedFolder folder, PrebuiltResponses prebuilt, int smallFile) {
    this.folder = folder;
    this.prebuilt = prebuilt;
    this.smallFile = smallFile;
  }

  /**
   * Finds a target in memory, or says what to ask the disk for. Any thread; never blocks on a local
   * disk.
   *
   * @throws Refusal if it is not a path
   */
  Found find(String target, HttpClock now) throws Refusal {
    PrebuiltResponse hit = prebuilt.find(target, now);
    if (hit != null) {
      return hit;
    }
    UrlPath url = UrlPath.parse(target);
    String canonical = url.canonical();
    if (!canonical.equals(target)) {
      hit = prebuilt.find(canonical, now);
      if (hit != null) {
        return hit;
      }
    }
    return new Found.OnDisk(url);
  }

  /**
   * Finds on disk what is not in memory. Blocks: on a disk thread.
   *
   * @throws Refusal if it may not be served
   * @throws IOException if it is not there
   */
  Found look(UrlPath url, String target) throws IOException, Refusal {
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
      int query = target.indexOf('?');
      return new Found.Redirect(url.canonical() + '/' + (query < 0 ? "" : target.substring(query)));
    }
    return index(url);
  }

  private Found index(UrlPath url) throws IOException, Refusal {
    List<String> names = new ArrayList<>(url.names());
    names.add(PrebuiltResponses.INDEX);
    try {
      long millis = System.currentTimeMillis();
      ServedFolder.Node node = folder.open(names);
      if (node instanceof ServedFolder.OpenFile file) {
        return found(file, names, millis);
      }
      node.close(); // a directory of that name, which stands for nothing
    } catch (IOException e) {
      if (!Refusal.isAbsence(e)) {
        throw e;
      }
    }
    return new Found.Directory(url);
  }

  /** Looks closer at what has been opened since that time, and closes it if that fails. */
  private Found found(ServedFolder.OpenFile open, List<String> names, long millis)
      throws IOException, Refusal {
    boolean found = false;
    try {
      FileInfo file = open.info();
      Found result =
          file.size() <= smallFile
              ? small(open)
              : file(open, EntityTag.ofFile(file, folder.stamp(names), millis));
      found = true;
      return result;
    } finally {
      if (!found) {
        open.close();
      }
    }
  }

  /** Makes a find of a small file. Blocks: on a disk thread. */
  Found small(ServedFolder.OpenFile open) throws IOException, Refusal {
    return file(open, EntityTag.ofContent(open.channel(), open.info().size()));
  }

  private static Found file(ServedFolder.OpenFile open, EntityTag tag) {
    return new Found.File(open, Representation.of(open.info(), tag));
  }

  /**
   * Renders a directory. Blocks: on a disk thread.
   *
   * @param wanted whether anybody still waits for it; it ends early if not
   */
  Found list(Found.Directory directory, BooleanSupplier wanted) throws IOException, Refusal {
    return new Found.Page(DirectoryListing.render(folder, directory.url(), wanted));
  }
}
