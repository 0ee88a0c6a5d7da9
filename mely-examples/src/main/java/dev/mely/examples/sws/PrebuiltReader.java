package dev.mely.examples.sws;

import dev.mely.examples.sws.PrebuiltResponses.Place;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.LoggerFactory;

/**
 * Reads the small files of a folder into memory, once, before the server starts. A separate thread
 * reads: if it hangs in a disk access, the server starts without the rest.
 */
final class PrebuiltReader {
  /** How many files to look at, at most: a start on a huge tree must end. */
  static final int MAX_VISITED = 200_000;

  /** How deep to look; each level keeps a directory open. */
  private static final int MAX_DEPTH = 64;

  /** After this time without another file, the disk counts as stuck. */
  private static final int PATIENCE_SECONDS = 5;

  private final ServedFolder folder;
  private final int fileLimit;
  private final long totalLimit;
  private final Map<String, Place> places = new ConcurrentHashMap<>();

  /** Written by the reading thread only. */
  private volatile int visited;

  private volatile boolean abandoned;

  /** Belongs to the reading thread, as do the fields below. */
  private long total;

  private int count;

  PrebuiltReader(ServedFolder folder, int fileLimit, long totalLimit) {
    this.folder = folder;
    this.fileLimit = fileLimit;
    this.totalLimit = totalLimit;
  }

  /** Reads until the limit is reached. */
  Map<String, Place> read() throws IOException {
    FutureTask<Integer> reading = new FutureTask<>(this::readAll);
    Thread reader = new Thread(reading, "sws-prebuilt");
    reader.setDaemon(true);
    reader.start();
    for (int seen = -1; !abandoned; ) {
      try {
        reading.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        break;
      } catch (TimeoutException slow) {
        abandoned = visited == seen;
        seen = visited;
      } catch (ExecutionException e) {
        throw failure(Objects.requireNonNullElse(e.getCause(), e));
      } catch (InterruptedException e) {
        abandoned = true;
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while files were read", e);
      }
    }
    if (abandoned) {
      LoggerFactory.getLogger(PrebuiltReader.class)
          .warn("the disk does not answer; the other files will be served from disk");
    }
    return Map.copyOf(places);
  }

  private IOException failure(Throwable cause) {
    String what = "cannot read '" + folder.path() + "': " + cause.getMessage();
    if (cause instanceof OutOfMemoryError) {
      what =
          String.format(
              Locale.ROOT,
              "out of memory after %,d MiB of prebuilt files: lower --prebuilt-mib",
              total >> 20);
    }
    return new IOException(what, cause);
  }

  private int readAll() throws IOException, Refusal {
    try (ServedFolder.Node node = folder.walk(List.of())) {
      if (node instanceof ServedFolder.OpenDirectory directory) {
        visit(directory.handle(), new UrlPath(List.of(), true), folder.path());
      }
    }
    return visited;
  }

  private boolean isDone() {
    return abandoned || visited >= MAX_VISITED || total >= totalLimit;
  }

  private void visit(SecureDirectoryStream<Path> directory, UrlPath url, Path path) {
    try {
      for (Path entry : directory) {
        if (isDone()) {
          return;
        }
        Path name = Objects.requireNonNull(entry.getFileName());
        String text = FileName.text(name);
        visited = ++count;
        if (text == null) {
          continue; // no URL can name it
        }
        try {
          entry(directory, name, new UrlPath(url.below(text), false), path.resolve(name));
        } catch (IOException | Refusal unreadable) {
          // A link, which is served from disk, or something that cannot be served.
        }
      }
    } catch (DirectoryIteratorException unreadable) {
      // Serve what has been read of it.
    }
  }

  private void entry(SecureDirectoryStream<Path> directory, Path name, UrlPath url, Path path)
      throws IOException, Refusal {
    BasicFileAttributes attributes = ServedFolder.attributes(directory, name);
    if (attributes.isDirectory()) {
      if (url.names().size() < MAX_DEPTH) {
        try (SecureDirectoryStream<Path> below = ServedFolder.openDirectory(directory, name)) {
          visit(below, url, path);
        }
      }
      return;
    }
    if (!attributes.isRegularFile() || attributes.size() > limit()) {
      return;
    }
    long millis = System.currentTimeMillis();
    try (ServedFolder.OpenFile open = ServedFolder.openFile(directory, name, attributes)) {
      if (open.info().size() > limit()) {
        return;
      }
      PrebuiltResponse response = PrebuiltResponse.read(open, path, millis);
      if (response != null) {
        total += response.file().size();
        keep(url, new Place(url.names(), path, response));
      }
    }
  }

  private long limit() {
    return Math.min(fileLimit, totalLimit - total);
  }

  private void keep(UrlPath url, Place place) {
    places.put(url.canonical(), place);
    int end = place.names.size() - 1;
    if (place.names.get(end).equals(PrebuiltResponses.INDEX)) {
      places.put(new UrlPath(place.names.subList(0, end), true).canonical(), place);
    }
  }
}
