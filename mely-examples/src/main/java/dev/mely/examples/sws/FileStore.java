package dev.mely.examples.sws;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/** Finds what a request target names: a prebuilt response first, then the disk. */
final class FileStore {
  private static final String INDEX = PrebuiltResponses.INDEX;

  private final PathResolver resolver;
  private final PrebuiltResponses prebuilt;

  FileStore(PathResolver resolver, PrebuiltResponses prebuilt) {
    this.resolver = resolver;
    this.prebuilt = prebuilt;
  }

  /**
   * Finds a target. Any thread.
   *
   * @throws Refusal if it names nothing that may be served
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
    try {
      return onDisk(url, canonical, target);
    } catch (IOException e) {
      throw Refusal.of(e);
    }
  }

  private Found onDisk(UrlPath url, String canonical, String target) throws IOException, Refusal {
    Path path = resolver.resolve(url);
    BasicFileAttributes attributes = attributes(path);
    if (attributes.isDirectory()) {
      if (!url.slash()) {
        int query = target.indexOf('?');
        return new Found.Redirect(canonical + '/' + (query < 0 ? "" : target.substring(query)));
      }
      Path index = path.resolve(INDEX);
      if (!Files.isRegularFile(index)) {
        return new Found.Directory(path, url);
      }
      path = resolver.real(index);
      attributes = attributes(path);
    } else if (url.slash() && !url.names().isEmpty()) {
      throw Refusal.notFound();
    }
    if (!attributes.isRegularFile()) {
      // A pipe or a device could block the loop for good.
      throw Refusal.of(HttpResponseStatus.FORBIDDEN, "Only regular files are served.");
    }
    return FileInfo.of(path, attributes);
  }

  /** Opens a file for reading, unless a link has taken its place since it was found. */
  static FileChannel open(FileInfo file) throws Refusal {
    try {
      return FileChannel.open(file.path(), StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    } catch (IOException e) {
      throw Refusal.of(e);
    }
  }

  private static BasicFileAttributes attributes(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
  }
}
