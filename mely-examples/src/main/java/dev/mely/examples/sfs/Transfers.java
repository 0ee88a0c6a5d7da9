package dev.mely.examples.sfs;

import dev.mely.examples.sfs.SfsClient.RemoteFile;
import dev.mely.examples.sws.FileName;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;

/**
 * Transfers whole files. A file grows under a temporary name that contains the version of its
 * source, and is renamed atomically when it is complete. So an interrupted transfer continues where
 * it stopped, unless the source has changed; and no reader sees a partial file.
 */
final class Transfers {
  /** How many requests are in flight at a time. */
  private static final int WINDOW = 8;

  private static final int PIECE = Message.MAX_DATA;

  private final SfsClient client;

  Transfers(SfsClient client) {
    this.client = client;
  }

  /** The temporary name of a file. */
  static String partOf(String name, Attributes source) {
    return "." + name + "." + String.format(Locale.ROOT, "%016x", source.version()) + ".part";
  }

  /**
   * Fetches a file.
   *
   * @throws IOException if the connection breaks; a second try with another connection continues
   */
  void get(String remote, Path local, Progress progress) throws IOException {
    RemoteFile file = client.open(remote, Message.READ);
    Attributes source = file.attributes();
    String name = FileName.text(local);
    if (name == null) {
      throw new IOException("the name of the file is not UTF-8");
    }
    Path part = local.resolveSibling(FileName.path(partOf(name, source)));
    try (FileChannel target =
        FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long at = Math.min(target.size(), source.size());
      progress.begin(at, source.size());
      receive(file, source.size(), target, at, progress);
    }
    file.close(0);
    if (client.stat(remote).version() != source.version()) {
      Files.delete(part);
      throw new SfsException(Status.BUSY, "The file was changed while it was read; try again.");
    }
    Files.move(part, local, StandardCopyOption.REPLACE_EXISTING);
    progress.end();
  }

  private void receive(RemoteFile file, long size, FileChannel target, long from, Progress progress)
      throws IOException {
    ArrayDeque<CompletableFuture<ByteBuffer>> window = new ArrayDeque<>();
    long asked = from;
    long at = from;
    while (at < size) {
      while (window.size() < WINDOW && asked < size) {
        int length = (int) Math.min(PIECE, size - asked);
        window.add(file.read(asked, length));
        asked += length;
      }
      ByteBuffer piece = client.await(window.remove());
      if (piece.remaining() != Math.min(PIECE, size - at)) {
        throw new SfsException(Status.BUSY, "The file was truncated while it was read.");
      }
      while (piece.hasRemaining()) {
        at += target.write(piece, at);
      }
      progress.at(at);
    }
  }

  /**
   * Stores a file.
   *
   * @throws IOException if the connection breaks; a second try with another connection continues
   */
  void put(Path local, String remote, Progress progress) throws IOException {
    if (!Files.exists(local)) {
      throw new SfsException(Status.NOT_FOUND, "There is no file '" + local + "'.");
    }
    Attributes source = Attributes.of(Files.readAttributes(local, BasicFileAttributes.class));
    if (source.type() != Attributes.Type.FILE) {
      throw new SfsException(Status.WRONG_TYPE, "'" + local + "' is not a regular file.");
    }
    int slash = remote.lastIndexOf('/') + 1;
    String part = remote.substring(0, slash) + partOf(remote.substring(slash), source);
    RemoteFile file = client.open(part, Message.WRITE);
    if (file.attributes().size() > source.size()) {
      file.close(0);
      file = client.open(part, Message.WRITE | Message.TRUNCATE);
    }
    try (FileChannel from = FileChannel.open(local, StandardOpenOption.READ)) {
      long at = file.attributes().size();
      progress.begin(at, source.size());
      send(from, source.size(), file, at, progress);
    }
    file.close(Message.SYNC);
    if (!Attributes.of(Files.readAttributes(local, BasicFileAttributes.class)).equals(source)) {
      client.remove(part);
      throw new SfsException(Status.BUSY, "The file was changed while it was sent; try again.");
    }
    client.rename(part, remote);
    progress.end();
  }

  private void send(FileChannel from, long size, RemoteFile file, long start, Progress progress)
      throws IOException {
    ArrayDeque<CompletableFuture<Fields>> window = new ArrayDeque<>();
    ByteBuffer piece = ByteBuffer.allocate(PIECE);
    long sent = start;
    long at = start;
    while (at < size) {
      while (window.size() < WINDOW && sent < size) {
        piece.clear().limit((int) Math.min(PIECE, size - sent));
        while (piece.hasRemaining()) {
          if (from.read(piece, sent + piece.position()) < 0) {
            throw new SfsException(Status.BUSY, "The file was truncated while it was sent.");
          }
        }
        window.add(file.write(sent, Arrays.copyOf(piece.array(), piece.limit()), piece.limit()));
        sent += piece.limit();
      }
      client.await(window.remove()).end();
      at += Math.min(PIECE, size - at);
      progress.at(at);
    }
  }
}
