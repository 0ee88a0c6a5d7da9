package dev.mely.examples.sws;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The served folder, kept open while the server runs; every file is opened relative to it. Any
 * thread; blocks on the disk, and may block forever if a file is replaced by a pipe during an open,
 * so only threads that may be lost call it. Shared by the file servers of the examples.
 *
 * <p><b>No file outside is ever read, even if names change meanwhile.</b> A path is walked name by
 * name; each name is opened relative to the directory opened before it ({@link
 * SecureDirectoryStream}, which is {@code openat}). The open of a file follows no link ({@code
 * O_NOFOLLOW}): it is the check. A directory is checked while it is open, when no other can have
 * its key ({@link #openDirectory}). So there is no time between check and use (TOCTOU). A directory
 * moved out of the folder during a walk was inside when the walk entered it.
 *
 * <p><b>Symbolic links</b> that stay inside the folder are followed, others refused. A walk that
 * meets a link resolves the whole path, and walks <em>the result</em> from the root, again without
 * following links. So a result that is out of date does no harm: it is only a list of names.
 *
 * <p><b>What may block.</b> Java has no {@code O_NONBLOCK}: opening a pipe waits for a writer. So
 * the type of a name is checked first, without opening it. If a pipe takes the name between check
 * and open, the thread blocks; see {@link DiskThreads}.
 */
public final class ServedFolder implements Closeable {
  private static final Set<OpenOption> READ =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  /** How often an open is tried again because the file was replaced meanwhile. */
  private static final int MAX_REPLACED = 10;

  private final Path path;
  private final SecureDirectoryStream<Path> root;

  /** Takes an open directory; tests pass one that changes at the worst moment. */
  ServedFolder(Path path, SecureDirectoryStream<Path> root) {
    this.path = path;
    this.root = root;
  }

  /**
   * Opens an existing directory.
   *
   * @throws IOException if it cannot be read, or this platform cannot open files relative to an
   *     open directory: without that, no check of a path would be safe
   */
  @SuppressWarnings("StreamResourceLeak") // kept open for as long as the server runs
  public static ServedFolder open(Path root) throws IOException {
    Path real = root.toRealPath();
    DirectoryStream<Path> stream = Files.newDirectoryStream(real);
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return new ServedFolder(real, secure);
    }
    stream.close();
    throw new IOException(
        "files cannot be opened relative to a folder on this platform (Java gives no"
            + " SecureDirectoryStream of '"
            + root
            + "'), so nothing would keep a request inside it");
  }

  /** The folder's path, with links resolved. */
  Path path() {
    return path;
  }

  /** An open file or directory. */
  public sealed interface Node extends Closeable permits OpenFile, OpenDirectory {}

  /**
   * A regular file.
   *
   * @param info what the open file is
   * @param channel reads it
   */
  public record OpenFile(FileInfo info, FileChannel channel) implements Node {
    /**
     * Fills a buffer from the beginning of the file.
     *
     * @return the buffer, flipped
     * @throws Refusal if the file is shorter by now
     */
    ByteBuffer read(ByteBuffer buffer) throws IOException, Refusal {
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, buffer.position()) < 0) {
          throw Refusal.replaced();
        }
      }
      return buffer.flip();
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }

  /**
   * A directory.
   *
   * @param handle for its entries, which can be iterated once
   */
  public record OpenDirectory(SecureDirectoryStream<Path> handle) implements Node {
    @Override
    public void close() throws IOException {
      handle.close();
    }
  }

  /**
   * Opens the file or directory at a path; follows links that stay inside.
   *
   * @throws Refusal if it is outside, or neither a file nor a directory
   * @throws IOException if it does not exist or cannot be read
   */
  public Node open(List<String> names) throws IOException, Refusal {
    List<Path> paths = paths(names);
    try {
      return walkPaths(paths);
    } catch (FileSystemLoopException link) {
      return walkPaths(withoutLinks(paths));
    }
  }

  /**
   * Reads the current metadata of a path.
   *
   * @return null if there is no file, or this file system has no {@code ctime}
   */
  @Nullable FileStamp stamp(List<String> names) throws Refusal {
    try {
      return FileStamp.of(resolve(paths(names)));
    } catch (IOException gone) {
      return null;
    }
  }

  /**
   * Opens the file or directory at a path, without following links.
   *
   * @throws FileSystemLoopException if a name is a link
   */
  Node walk(List<String> names) throws IOException, Refusal {
    return walkPaths(paths(names));
  }

  private Node walkPaths(List<Path> names) throws IOException, Refusal {
    SecureDirectoryStream<Path> at = root;
    try {
      for (int i = 0; i < names.size(); i++) {
        Path name = names.get(i);
        BasicFileAttributes attributes = attributes(at, name);
        if (!attributes.isDirectory()) {
          if (i < names.size() - 1 && !attributes.isSymbolicLink()) {
            throw new NotDirectoryException(name.toString());
          }
          return openFile(at, name, attributes);
        }
        SecureDirectoryStream<Path> above = at;
        at = openDirectory(above, name);
        leave(above);
      }
      // A new handle: the root's can be iterated only once.
      return new OpenDirectory(at.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS));
    } finally {
      leave(at);
    }
  }

  /**
   * Opens a subdirectory.
   *
   * <p>It is opened as {@code name/.}, which fails at once if the name is not a directory. Opened
   * by its name alone, a pipe in its place would make the thread wait for a writer, and a file
   * would make JDK 25 close one descriptor twice, by then perhaps a connection's, and leak another
   * (JDK-8392711).
   *
   * <p>But {@code name/.} follows a link. So the open directory must have the same key as the name
   * has now: no other directory can have that key while it is open.
   *
   * @throws FileSystemLoopException if the name is a link
   */
  static SecureDirectoryStream<Path> openDirectory(SecureDirectoryStream<Path> directory, Path name)
      throws IOException, Refusal {
    for (int i = 0; i < MAX_REPLACED; i++) {
      SecureDirectoryStream<Path> opened =
          directory.newDirectoryStream(name.resolve("."), LinkOption.NOFOLLOW_LINKS);
      boolean handedOn = false;
      try {
        Object key =
            opened.getFileAttributeView(BasicFileAttributeView.class).readAttributes().fileKey();
        BasicFileAttributes named = attributes(directory, name);
        if (named.isSymbolicLink()) {
          throw new FileSystemLoopException(name.toString());
        }
        if (Objects.requireNonNull(key).equals(named.fileKey())) {
          handedOn = true;
          return opened;
        }
      } finally {
        if (!handedOn) {
          opened.close();
        }
      }
    }
    throw Refusal.replaced();
  }

  private void leave(SecureDirectoryStream<Path> directory) throws IOException {
    if (directory != root) {
      directory.close();
    }
  }

  /** Resolves all links in a path; refuses a result outside of the folder. */
  private List<Path> withoutLinks(List<Path> names) throws IOException, Refusal {
    Path real = resolve(names).toRealPath();
    if (!real.startsWith(path)) {
      throw Refusal.of(Status.FORBIDDEN, "The path leads out of the served folder.");
    }
    List<Path> proposal = new ArrayList<>();
    if (!real.equals(path)) {
      path.relativize(real).forEach(proposal::add);
    }
    return proposal;
  }

  private Path resolve(List<Path> names) {
    Path resolved = path;
    for (Path name : names) {
      resolved = resolved.resolve(name);
    }
    return resolved;
  }

  private static List<Path> paths(List<String> names) throws Refusal {
    List<Path> paths = new ArrayList<>(names.size());
    for (String name : names) {
      paths.add(name(name));
    }
    return paths;
  }

  /**
   * Opens a regular file in a directory.
   *
   * <p>Java can ask an open file only for its size ({@code fstat}), not for its type, so the name
   * is checked before and after the open. If another file, a pipe or a device had the name in
   * between, the size differs, and the next round opens what is there now. One case goes unnoticed:
   * a file of the same size had the name during the open, and the first got its name back before
   * the second check. Then the other file's content is served, complete, with the first one's time.
   * The renaming shows in {@link FileStamp}.
   *
   * @param attributes of the name, read before; may be out of date
   * @throws FileSystemLoopException if the name is a link
   */
  static OpenFile openFile(
      SecureDirectoryStream<Path> directory, Path name, BasicFileAttributes attributes)
      throws IOException, Refusal {
    BasicFileAttributes before = attributes;
    for (int i = 0; i < MAX_REPLACED; i++) {
      if (before.isSymbolicLink()) {
        throw new FileSystemLoopException(name.toString());
      }
      if (!before.isRegularFile()) {
        throw Refusal.of(Status.FORBIDDEN, "Only regular files are served.");
      }
      FileInfo info = FileInfo.of(name.toString(), before);
      SeekableByteChannel channel = openUnlessLink(directory, name);
      boolean handedOn = false;
      try {
        BasicFileAttributes after = attributes(directory, name);
        if (channel instanceof FileChannel file
            && info.isStill(after)
            && file.size() == info.size()) {
          handedOn = true;
          return new OpenFile(info, file);
        }
        before = after; // another file has or had this name
      } finally {
        if (channel != null && !handedOn) {
          channel.close();
        }
      }
    }
    throw Refusal.replaced();
  }

  /** Opens a file for reading; null if the name has become a link. */
  private static @Nullable SeekableByteChannel openUnlessLink(
      SecureDirectoryStream<Path> directory, Path name) throws IOException {
    try {
      return directory.newByteChannel(name, READ);
    } catch (FileSystemException failure) {
      throw failure;
    } catch (IOException link) {
      // So the JDK reports ELOOP of an open with NOFOLLOW_LINKS, and nothing else.
      return null;
    }
  }

  /** Attributes of a name in a directory, without following a link. */
  public static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    return directory
        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes();
  }

  private static Path name(String name) throws Refusal {
    try {
      return FileName.path(name);
    } catch (InvalidPathException noName) {
      throw Refusal.notFound();
    }
  }

  @Override
  public void close() throws IOException {
    root.close();
  }
}
