package dev.mely.examples.sfs;

import dev.mely.examples.sfs.Answer.OpenFile;
import dev.mely.examples.sws.FileInfo;
import dev.mely.examples.sws.FileName;
import dev.mely.examples.sws.Refusal;
import dev.mely.examples.sws.ServedFolder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The served files. All methods block on the disk, so helper threads call them. Thread-safe.
 *
 * <p>No file outside of the folder is accessed, even if names change meanwhile: {@link
 * ServedFolder} opens directories and files to read; writes, renames and removals name an entry of
 * such an open directory, and never follow a link.
 */
final class Volume implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(Volume.class);

  static final int MAX_PATH = 4096;

  /** How often an open is tried again because the name has changed meanwhile. */
  private static final int MAX_REPLACED = 10;

  private static final Set<OpenOption> WRITE =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> CREATE =
      Set.of(
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.CREATE_NEW,
          LinkOption.NOFOLLOW_LINKS);

  private final ServedFolder folder;

  Volume(ServedFolder folder) {
    this.folder = folder;
  }

  /** A file operation. */
  interface Action {
    Answer run() throws IOException, Refusal;
  }

  /** Runs an action; a failure becomes an answer, too. */
  static Answer attempt(Action action) {
    try {
      return action.run();
    } catch (Refusal e) {
      Status status =
          switch (e.code()) {
            case 404 -> Status.NOT_FOUND;
            case 503 -> Status.BUSY;
            default -> Status.DENIED;
          };
      return Answer.of(status, e.reason());
    } catch (Throwable t) {
      return failed(t);
    }
  }

  /** The answer for a failure; does not disclose the server's paths. */
  static Answer failed(Throwable t) {
    if (t instanceof DirectoryIteratorException e) {
      return failed((Throwable) Objects.requireNonNull(e.getCause()));
    }
    if (t instanceof IOException e) {
      return failed(e);
    }
    Answer answer =
        t instanceof OutOfMemoryError
            ? Answer.of(Status.BUSY, "The server is out of memory.")
            : Answer.of(Status.FAILED, "The server has failed.");
    try {
      LOG.warn("a file operation has failed", t);
    } catch (Throwable noMemoryForThat) {
      // The first failure is the answer.
    }
    return answer;
  }

  private static Answer failed(IOException e) {
    if (e instanceof SfsException own) {
      return Answer.of(own.status(), String.valueOf(own.getMessage()));
    }
    if (e instanceof NoSuchFileException) {
      return Answer.of(Status.NOT_FOUND, "There is no such file.");
    }
    if (e instanceof AccessDeniedException) {
      return Answer.of(Status.DENIED, "The server may not do that.");
    }
    if (e instanceof FileAlreadyExistsException || e instanceof DirectoryNotEmptyException) {
      return Answer.of(Status.EXISTS, "This name exists already.");
    }
    if (e instanceof NotDirectoryException) {
      return Answer.of(Status.WRONG_TYPE, "A part of the path is not a directory.");
    }
    // Nio.call rejects when too many calls are waiting.
    if (e.getCause() instanceof RejectedExecutionException || Refusal.isShortage(e)) {
      return Answer.of(Status.BUSY, "The server is too busy.");
    }
    return e instanceof FileSystemException
        ? Answer.of(Status.WRONG_TYPE, "That cannot be done with this file or directory.")
        : Answer.of(Status.FAILED, "The disk has failed, or is full.");
  }

  // ---- Reading

  /** The first page of a directory. */
  Answer list(String path) throws IOException, Refusal {
    return new Listing(directory(names(path))).page();
  }

  Answer stat(String path) throws IOException, Refusal {
    try (ServedFolder.Node node = folder.open(names(path))) {
      if (node instanceof ServedFolder.OpenFile file) {
        FileInfo info = file.info();
        return Answer.leased(Message.leased().attributes(attributes(info)), key(info.key()));
      }
      BasicFileAttributes own = own(((ServedFolder.OpenDirectory) node).handle());
      return Answer.leased(Message.leased().attributes(Attributes.of(own)), key(own));
    }
  }

  private static Attributes attributes(FileInfo info) {
    long modified = info.modified().to(TimeUnit.NANOSECONDS);
    return Attributes.of(Attributes.Type.FILE, info.size(), modified, info.key());
  }

  @SuppressWarnings("StreamResourceLeak") // the client closes the file
  Answer openToRead(String path) throws IOException, Refusal {
    ServedFolder.Node node = folder.open(names(path));
    boolean kept = false;
    try {
      if (!(node instanceof ServedFolder.OpenFile file)) {
        throw new SfsException(Status.WRONG_TYPE, "That is a directory.");
      }
      OpenFile opened = new OpenFile(file.channel(), key(file.info().key()), false);
      Answer answer = opened(opened, attributes(file.info()), List.of());
      kept = true;
      return answer;
    } finally {
      if (!kept) {
        node.close();
      }
    }
  }

  private static Answer opened(OpenFile file, Attributes attributes, List<Object> changed) {
    byte[] reply = Message.leased().u32(0).attributes(attributes).bytes();
    return new Answer(reply, file.key(), changed, file);
  }

  static Answer read(OpenFile file, long offset, int length) throws IOException {
    byte[] reply = Message.withRoom(length);
    ByteBuffer target = ByteBuffer.wrap(reply, Message.FIELDS, length);
    while (target.hasRemaining()) {
      int n = file.channel().read(target, offset + target.position() - Message.FIELDS);
      if (n < 0) {
        return Answer.of(Arrays.copyOf(reply, target.position()));
      }
    }
    return Answer.of(reply);
  }

  // ---- Writing

  /** Opens a file for writing and reading; creates it if it does not exist. */
  Answer openToWrite(String path, boolean truncate) throws IOException, Refusal {
    List<String> names = names(path);
    Path leaf = leaf(names);
    try (SecureDirectoryStream<Path> directory = parent(names)) {
      for (int i = 0; i < MAX_REPLACED; i++) {
        BasicFileAttributes before = lookAt(directory, leaf);
        if (before != null && !before.isRegularFile()) {
          throw new SfsException(
              before.isDirectory() ? Status.WRONG_TYPE : Status.DENIED,
              "Only regular files can be written.");
        }
        FileChannel channel = openUnlessTaken(directory, leaf, before == null);
        boolean kept = false;
        try {
          BasicFileAttributes after = channel == null ? null : lookAt(directory, leaf);
          if (channel != null && after != null && isSame(before, after)) {
            if (truncate && before != null && channel.size() > 0) {
              channel.truncate(0);
              after = ServedFolder.attributes(directory, leaf);
            }
            List<Object> changed = new ArrayList<>();
            if (before == null) {
              changed.add(key(own(directory)));
            } else if (truncate) {
              changed.add(key(after));
            }
            OpenFile opened = new OpenFile(channel, key(after), true);
            Answer answer = opened(opened, Attributes.of(after), changed);
            kept = true;
            return answer;
          }
        } finally {
          if (channel != null && !kept) {
            channel.close();
          }
        }
      }
    }
    throw new SfsException(Status.BUSY, "The file is being replaced.");
  }

  /** Whether the name still has the file that it had before the open. */
  private static boolean isSame(@Nullable BasicFileAttributes before, BasicFileAttributes after) {
    return after.isRegularFile()
        && (before == null || Objects.equals(before.fileKey(), after.fileKey()));
  }

  /** Opens a file; null if the name has changed since it was checked. */
  private static @Nullable FileChannel openUnlessTaken(
      SecureDirectoryStream<Path> directory, Path leaf, boolean fresh) throws IOException {
    try {
      SeekableByteChannel channel = directory.newByteChannel(leaf, fresh ? CREATE : WRITE);
      if (channel instanceof FileChannel file) {
        return file;
      }
      channel.close();
      throw new IOException("files of this file system cannot be written");
    } catch (FileAlreadyExistsException | NoSuchFileException e) {
      return null;
    }
  }

  static Answer write(OpenFile file, long offset, ByteBuffer data) throws IOException {
    long at = offset;
    while (data.hasRemaining()) {
      at += file.channel().write(data, at);
    }
    return Answer.changed(List.of(file.key()));
  }

  static Answer close(Closeable opened, boolean sync) throws IOException {
    try (opened) {
      if (sync && opened instanceof OpenFile file && file.writable()) {
        file.channel().force(true);
      }
    }
    return Answer.changed(List.of());
  }

  /** Renames a file or a directory; replaces an existing file. */
  Answer rename(String from, String to) throws IOException, Refusal {
    List<String> source = names(from);
    List<String> target = names(to);
    Path sourceLeaf = leaf(source);
    Path targetLeaf = leaf(target);
    try (SecureDirectoryStream<Path> here = parent(source);
        SecureDirectoryStream<Path> there = parent(target)) {
      List<Object> changed = new ArrayList<>();
      changed.add(key(own(here)));
      changed.add(key(own(there)));
      changed.add(key(ServedFolder.attributes(here, sourceLeaf)));
      BasicFileAttributes replaced = lookAt(there, targetLeaf);
      if (replaced != null) {
        changed.add(key(replaced));
      }
      here.move(sourceLeaf, there, targetLeaf);
      return Answer.changed(changed);
    }
  }

  /** Removes a file, a link, or an empty directory. */
  Answer remove(String path) throws IOException, Refusal {
    List<String> names = names(path);
    Path leaf = leaf(names);
    try (SecureDirectoryStream<Path> directory = parent(names)) {
      BasicFileAttributes attributes = ServedFolder.attributes(directory, leaf);
      if (attributes.isDirectory()) {
        directory.deleteDirectory(leaf);
      } else {
        directory.deleteFile(leaf);
      }
      return Answer.changed(List.of(key(own(directory)), key(attributes)));
    }
  }

  // ---- Names

  /** The names in a path; refuses empty ones and {@code ..}. */
  static List<String> names(String path) throws SfsException {
    if (path.isEmpty()) {
      return List.of();
    }
    List<String> names = List.of(path.split("/", -1));
    for (String name : names) {
      if (name.isEmpty() || name.equals(".") || name.equals("..") || name.indexOf(0) >= 0) {
        throw new SfsException(Status.BAD_REQUEST, "That is not a path.");
      }
    }
    return names;
  }

  private static Path leaf(List<String> names) throws SfsException {
    if (names.isEmpty()) {
      throw new SfsException(Status.DENIED, "The served folder itself cannot be changed.");
    }
    try {
      return FileName.path(names.get(names.size() - 1));
    } catch (InvalidPathException e) {
      throw new SfsException(Status.BAD_REQUEST, "That is not a valid name on this system.");
    }
  }

  private SecureDirectoryStream<Path> parent(List<String> names) throws IOException, Refusal {
    return directory(names.subList(0, names.size() - 1));
  }

  /** Opens a directory; the caller closes it. */
  private SecureDirectoryStream<Path> directory(List<String> names) throws IOException, Refusal {
    ServedFolder.Node node = folder.open(names);
    if (node instanceof ServedFolder.OpenDirectory directory) {
      return directory.handle();
    }
    node.close();
    throw new SfsException(Status.WRONG_TYPE, "That is not a directory.");
  }

  private static @Nullable BasicFileAttributes lookAt(
      SecureDirectoryStream<Path> directory, Path leaf) throws IOException {
    try {
      return ServedFolder.attributes(directory, leaf);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  static BasicFileAttributes own(SecureDirectoryStream<Path> directory) throws IOException {
    return directory.getFileAttributeView(BasicFileAttributeView.class).readAttributes();
  }

  static Object key(BasicFileAttributes attributes) {
    return key(attributes.fileKey());
  }

  /** Identifies a file by its device and inode number. */
  private static Object key(@Nullable Object fileKey) {
    return Objects.requireNonNull(fileKey, "a file without an inode number");
  }

  @Override
  public void close() throws IOException {
    folder.close();
  }
}
