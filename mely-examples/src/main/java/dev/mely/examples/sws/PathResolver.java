package dev.mely.examples.sws;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;

/**
 * Turns the path of a URL into the real path of a file, and lets nothing out of the root: links are
 * followed, and what they lead to must lie below the root as well.
 */
final class PathResolver {
  private final Path root;

  /** Takes an existing directory. */
  PathResolver(Path root) throws IOException {
    this.root = root.toRealPath();
  }

  /** The root, links resolved. */
  Path root() {
    return root;
  }

  /**
   * Finds where a path leads.
   *
   * @throws Refusal if nothing is there, or it is outside the root
   */
  Path resolve(UrlPath url) throws Refusal {
    Path path = root;
    try {
      for (String name : url.names()) {
        path = path.resolve(name);
      }
    } catch (InvalidPathException noName) {
      throw Refusal.notFound();
    }
    return real(path);
  }

  /** Follows the links of a path below the root, which may lead out of it, into a refusal. */
  Path real(Path path) throws Refusal {
    Path real;
    try {
      real = path.toRealPath();
    } catch (IOException e) {
      throw Refusal.of(e);
    }
    if (!real.startsWith(root)) {
      throw Refusal.of(HttpResponseStatus.FORBIDDEN, "The path leads out of the served folder.");
    }
    return real;
  }
}
