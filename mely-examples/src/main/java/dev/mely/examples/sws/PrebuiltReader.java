package dev.mely.examples.sws;

import dev.mely.examples.sws.PrebuiltResponses.Place;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Reads the small files of a folder into memory, once, before the server starts. A thread of its
 * own does it: should it never come back from the disk, the server starts without the rest.
 */
final class PrebuiltReader {
  /** So many files are looked at, and no more: a start on a huge tree must end. */
  static final int MAX_VISITED = 200_000;

  /** So deep is looked; each level keeps a directory open. */
  private static final int MAX_DEPTH = 64;

  /** After so many seconds without one more file the disk is taken for stuck. */
  private static final int PATIENCE_SECONDS = 5;

  private final ServedFolder folder;
  private final int fileLimit;
  private final long totalLimit;
  private final Map<String, Place> places = new ConcurrentHashMap<>();

  /** Written by the reading thread alone. */
  private volatile int visited;

  private volatile boolean abandoned;
  private volatile @Nullable Throwable failure;

  /** Of the reading thread, as all that follows. */
  private long total;

  private int count;

  PrebuiltReader(ServedFolder folder, int fileLimit, long totalLimit) {
    this.folder = folder;
    this.fileLimit = fileLimit;
    this.totalLimit = totalLimit;
  }

  /** Reads until the limit is reached. */
  Map<String, Place> read() throws IOException {
    Thread reader = new Thread(this::readAll, "sws-prebuilt");
    reader.setDaemon(true);
    reader.start();
    int seen = -1;
    while (reader.isAlive()) {
      try {
        TimeUnit.SECONDS.timedJoin(reader, PATIENCE_SECONDS);
      } catch (InterruptedException e) {
        abandoned = true;
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while files were read", e);
      }
      if (reader.isAlive() && visited == seen) {
        abandoned = true;
        LoggerFactory.getLogger(PrebuiltReader.class)
            .warn("the disk does not answer; files that are not in memory yet stay on disk");
        break;
      }
      seen = visited;
    }
    Throwable failed = failure;
    if (failed instanceof OutOfMemoryError) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "out of memory after %,d MiB of prebuilt files: lower --prebuilt-mib",
              total >> 20));
    } else if (failed != null) {
      throw new IOException("cannot read '" + folder.path() + "': " + failed.getMessage(), failed);
    }
    return Map.copyOf(places);
  }

  private void readAll() {
    try (ServedFolder.Node node = folder.walk(List.of())) {
      if (node instanceof ServedFolder.OpenDirectory directory) {
        visit(directory.handle(), List.of(), folder.path());
      }
    } catch (IOException | Refusal | RuntimeException | Error e) {
      failure = e;
    }
  }

  private boolean isDone() {
    return abandoned || visited >= MAX_VISITED || total >= totalLimit;
  }

  private void visit(SecureDirectoryStream<Path> directory, List<String> names, Path path) {
    try {
      for (Path entry : directory) {
        if (isDone()) {
          return;
        }
        Path name = Objects.requireNonNull(entry.getFileName());
        String text = FileName.text(name);
        visited = ++count;
        if (text == null) {
          continue; // no URL leads there
        }
        try {
          entry(directory, name, append(names, text), path.resolve(name));
        } catch (IOException | Refusal unreadable) {
          // A link, which is left to the disk, or something that cannot be served at all.
        }
      }
    } catch (DirectoryIteratorException unreadable) {
      // What has been read of it is served.
    }
  }

  private void entry(
      SecureDirectoryStream<Path> directory, Path name, List<String> names, Path path)
      throws IOException, Refusal {
    BasicFileAttributes attributes = ServedFolder.attributes(directory, name);
    if (attributes.isDirectory()) {
      if (names.size() < MAX_DEPTH) {
        try (SecureDirectoryStream<Path> below = ServedFolder.openDirectory(directory, name)) {
          visit(below, names, path);
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
        keep(new Place(names, path, response));
      }
    }
  }

  private long limit() {
    return Math.min(fileLimit, totalLimit - total);
  }

  private void keep(Place place) {
    StringBuilder url = new StringBuilder();
    for (String name : place.names) {
      url.append('/').append(UrlPath.encode(name));
    }
    places.put(url.toString(), place);
    int end = place.names.size() - 1;
    if (place.names.get(end).equals(PrebuiltResponses.INDEX)) {
      url.setLength(url.length() - PrebuiltResponses.INDEX.length());
      places.put(url.toString(), place);
    }
  }

  private static List<String> append(List<String> names, String name) {
    List<String> longer = new ArrayList<>(names);
    longer.add(name);
    return List.copyOf(longer);
  }
}
