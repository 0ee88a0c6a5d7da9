package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The responses to small files, built at start-up: the paper's cache, an immutable map that every
 * core reads without a lock.
 *
 * <p>An entry in use is compared with its file (size, time, inode) once a second. If the file has
 * changed, requests are served from disk until the background thread has put a new map in the place
 * of the old one. So a change shows within a second; between two looks, a client may get the old
 * version, but never a mix of two. Files made after start-up are served from disk.
 */
final class PrebuiltResponses {
  /** The file that stands for its directory. */
  static final String INDEX = "index.html";

  /** So many files are looked at, and no more: a start on a huge tree must end. */
  private static final int MAX_VISITED = 200_000;

  private final int fileLimit;
  private final long totalLimit;
  private final Executor background;

  private final Set<String> stale = ConcurrentHashMap.newKeySet();

  /** The map is immutable; the background thread alone replaces it. */
  private volatile Map<String, PrebuiltResponse> byUrl = Map.of();

  /**
   * Makes an empty set.
   *
   * @param fileLimit the largest file to keep, in bytes
   * @param totalLimit how much to keep in all, in bytes; 0: nothing
   * @param background runs one task after another
   */
  PrebuiltResponses(int fileLimit, long totalLimit, Executor background) {
    this.fileLimit = fileLimit;
    this.totalLimit = totalLimit;
    this.background = background;
  }

  /** Builds a response for each small file of a tree, until the limit is reached. Before use. */
  void build(Path root) throws IOException {
    if (totalLimit == 0) {
      return;
    }
    Map<String, PrebuiltResponse> built = new HashMap<>();
    HttpClock now = HttpClock.now();
    // Links are left to the disk: whether they stay below the root may change at any time.
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          private int visited;
          private long total;

          @Override
          public FileVisitResult visitFile(Path path, BasicFileAttributes attributes) {
            if (++visited > MAX_VISITED) {
              return FileVisitResult.TERMINATE;
            }
            PrebuiltResponse response = read(path, attributes, totalLimit - total, now);
            if (response == null) {
              return total < totalLimit ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
            }
            total += response.file().size();
            String url = url(root, path);
            built.put(url, response);
            if (url.endsWith("/" + INDEX)) {
              built.put(url.substring(0, url.length() - INDEX.length()), response);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path path, IOException unreadable) {
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path path, @Nullable IOException unreadable) {
            return FileVisitResult.CONTINUE;
          }
        });
    byUrl = Map.copyOf(built);
  }

  /** Finds the response to a target in its canonical spelling; null: ask the disk. Any thread. */
  @Nullable PrebuiltResponse find(String url, HttpClock now) {
    PrebuiltResponse response = byUrl.get(url);
    if (response == null || response.isFresh(now)) {
      return response;
    }
    BasicFileAttributes attributes = attributes(response.file().path());
    if (attributes != null && response.file().isStill(attributes)) {
      response.checked(now);
      return response;
    }
    if (stale.add(url)) {
      background.execute(() -> refresh(url));
    }
    return null;
  }

  /** How many targets are answered from memory. */
  int size() {
    return byUrl.size();
  }

  /** How much memory the bodies take. */
  long bytes() {
    return byUrl.values().stream().distinct().mapToLong(r -> r.file().size()).sum();
  }

  /** Replaces or drops one entry; on the background thread. */
  private void refresh(String url) {
    Map<String, PrebuiltResponse> copy = new HashMap<>(byUrl);
    PrebuiltResponse old = copy.remove(url);
    if (old != null) {
      long used = copy.values().stream().distinct().mapToLong(r -> r.file().size()).sum();
      Path path = old.file().path();
      BasicFileAttributes attributes = attributes(path);
      PrebuiltResponse response =
          attributes == null ? null : read(path, attributes, totalLimit - used, HttpClock.now());
      if (response != null) {
        copy.put(url, response);
      }
      byUrl = Map.copyOf(copy);
    }
    stale.remove(url);
  }

  private @Nullable PrebuiltResponse read(
      Path path, BasicFileAttributes attributes, long room, HttpClock now) {
    if (!attributes.isRegularFile() || attributes.size() > Math.min(fileLimit, room)) {
      return null;
    }
    try {
      PrebuiltResponse response = PrebuiltResponse.read(FileInfo.of(path, attributes), now);
      // Whoever wrote to it meanwhile may have left us half of each version.
      BasicFileAttributes after = attributes(path);
      return after != null && response.file().isStill(after) ? response : null;
    } catch (IOException unreadable) {
      return null; // the disk will say why when it is asked for
    }
  }

  private static @Nullable BasicFileAttributes attributes(Path path) {
    try {
      return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException gone) {
      return null;
    }
  }

  private static String url(Path root, Path path) {
    StringBuilder url = new StringBuilder();
    for (Path name : root.relativize(path)) {
      url.append('/').append(UrlPath.encode(name.toString()));
    }
    return url.toString();
  }
}
