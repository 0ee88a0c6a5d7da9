package dev.mely.examples.sfs;

import dev.mely.examples.sws.FileName;
import dev.mely.examples.sws.ServedFolder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A directory that a client reads page by page. It stays open in between, so the cost of a page
 * does not depend on the directory's size; names come in the directory's own order. As with POSIX
 * {@code readdir}, a name that exists all the time is listed once; one created or removed meanwhile
 * is listed once or not at all.
 *
 * <p>Used by one helper thread at a time.
 */
final class Listing implements Closeable {
  /** How many names to read for a page, in case many of them cannot be sent. */
  static final int MAX_VISITED = 4096;

  /** A page leaves room for one more entry with the longest name. */
  private static final int PAGE_BYTES = Message.MAX_DATA - 1024;

  private static final int ENTRY_BYTES = 27;

  private final SecureDirectoryStream<Path> directory;

  /** Null until the first page is read. */
  private @Nullable Iterator<Path> entries;

  Listing(SecureDirectoryStream<Path> directory) {
    this.directory = directory;
  }

  /**
   * Reads the next page. Closes the directory at its end, and after a failure, which loses names
   * already read. The first page has a lease.
   */
  Answer page() throws IOException {
    boolean kept = false;
    try {
      Object leased = null;
      if (entries == null) {
        leased = Volume.key(Volume.own(directory));
        entries = directory.iterator();
      }
      Message page = Message.leased().u32(0).u16(0);
      int count = 0;
      int bytes = 0;
      boolean more = entries.hasNext();
      for (int i = 0; more && i < MAX_VISITED && bytes <= PAGE_BYTES; i++) {
        Path entry = entries.next();
        String name = FileName.text(entry);
        Attributes attributes = name == null ? null : lookAt(entry);
        if (name != null && attributes != null) {
          page.text(name).attributes(attributes);
          bytes += ENTRY_BYTES + 3 * name.length();
          count++;
        }
        more = entries.hasNext();
      }
      byte[] reply = page.bytes();
      Message.count(reply, count);
      Answer answer = new Answer(reply, leased, List.of(), more ? this : null);
      kept = more;
      return answer;
    } finally {
      if (!kept) {
        close();
      }
    }
  }

  /** Reads an entry's attributes; null if it has just been removed. */
  private @Nullable Attributes lookAt(Path entry) throws IOException {
    try {
      return Attributes.of(ServedFolder.attributes(directory, entry.getFileName()));
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    directory.close();
  }
}
