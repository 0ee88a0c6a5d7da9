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
 * The served folder, held open from start to end; whatever is read of it is found from there. Any
 * thread; blocks on the disk, and may block for good where a file becomes a pipe in the middle of
 * an open, so that only threads that may be lost call it. Shared by the file servers of the
 * examples.
 *
 * <p><b>Nothing outside is ever read, whatever is renamed meanwhile.</b> A path is walked name by
 * name; each name is opened relative to the directory that was opened before it ({@link
 * SecureDirectoryStream}, which is {@code openat}). The open of a file follows no link ({@code
 * O_NOFOLLOW}): it is the check. A directory is looked at while it is open, when nothing else can
 * pass for it ({@link #openDirectory}). So there is no moment between a check and a use. A
 * directory that is moved out of the folder while a walk stands in it was inside when the walk
 * entered it.
 *
 * <p><b>Symbolic links</b> that stay inside the folder are followed, others refused. A walk that
 * meets a link asks the system where the whole path really leads, and walks <em>that</em>, from the
 * root and again without following any link. So the system's answer, which may be out of date when
 * it is used, is only a proposal of names.
 *
 * <p><b>What may block.</b> Java has no {@code O_NONBLOCK}: opening a pipe waits for a writer. The
 * type of a name is therefore looked at first, without opening it. Who renames a pipe to the name
 * of a file between this look and the open holds up the thread; see {@link DiskThreads}.
 */
public final class ServedFolder implements Closeable {
  private static final Set<OpenOption> READ =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  /** So often a file may be replaced by another in the middle of being opened. */
  private static final int MAX_REPLACED = 10;

  private final Path path;
  private final SecureDirectoryStream<Path> root;

  /** Takes an open directory; tests give one that changes at the worst moment. */
  ServedFolder(Path path, SecureDirectoryStream<Path> root) {
    this.path = path;
    this.root = root;
  }

  /**
   * Opens an existing directory.
   *
   * @throws IOException if it cannot be read, or this platform cannot open files relative to an
   *     open directory: without that, no check of a path would hold
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

  /** Where the folder is; links resolved. */
  Path path() {
    return path;
  }

  /** Something that was found, open. */
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
     * @return the buffer, to be read
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
   * @param handle for its entries, which can be listed once
   */
  public record OpenDirectory(SecureDirectoryStream<Path> handle) implements Node {
    @Override
    public void close() throws IOException {
      handle.close();
    }
  }

  /**
   * Opens what names lead to, links included that stay inside.
   *
   * @throws Refusal if it is outside, or neither a file nor a directory
   * @throws IOException if it is not there, or cannot be read
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
   * Looks at what names lead to by their path, whatever is there by now.
   *
   * @return null if there is nothing, or this file system has no times that nobody can set
   */
  @Nullable FileStamp stamp(List<String> names) throws Refusal {
    try {
      return FileStamp.of(resolve(paths(names)));
    } catch (IOException gone) {
      return null;
    }
  }

  /**
   * Opens what names lead to.
   *
   * @throws FileSystemLoopException if one of them is a link
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
      // A handle of its own: that of the root can be listed once only.
      return new OpenDirectory(at.newDirectoryStream(Path.of("."), LinkOption.NOFOLLOW_LINKS));
    } finally {
      leave(at);
    }
  }

  /**
   * Opens a directory of a directory.
   *
   * <p>It is opened as {@code name/.}, which fails at once if the name is no directory. Opened by
   * its name alone, a pipe that has taken the directory's place would make the thread wait for a
   * writer, and a file would make JDK 25 close one descriptor twice, by then perhaps that of a
   * connection, and lose another (JDK-8392711).
   *
   * <p>But {@code name/.} follows a link. So the open directory must be the one that has the name
   * now: no other can have its key for as long as it is open.
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

  /** The names that the system finds at the end of all links, which lead out into a refusal. */
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
   * Opens a regular file of a directory.
   *
   * <p>Java cannot ask what an open file is, only its size ({@code fstat}), so that a name is
   * looked at before and after the open. What had the name in between may have been something else:
   * a pipe and a device have no size, a directory or another file has a size of its own, and the
   * next round opens what is there now. Not noticed is another file of that very size whose name
   * was given back to the first, untouched, between the two looks: its bytes go out, all of them
   * and no others, with the time of the first. The renaming shows in {@link FileStamp}.
   *
   * @param attributes what the name is, as far as known
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
        before = after; // another file has this name by now, or had it for a moment
      } finally {
        if (channel != null && !handedOn) {
          channel.close();
        }
      }
    }
    throw Refusal.replaced();
  }

  /** Opens a file to read it; null: the name has become a link, for a moment at least. */
  private static @Nullable SeekableByteChannel openUnlessLink(
      SecureDirectoryStream<Path> directory, Path name) throws IOException {
    try {
      return directory.newByteChannel(name, READ);
    } catch (FileSystemException failure) {
      throw failure;
    } catch (IOException link) {
      // The JDK says ELOOP of an open with NOFOLLOW_LINKS in this way, and nothing else.
      return null;
    }
  }

  /** What a name of a directory is, a link being a link. */
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
