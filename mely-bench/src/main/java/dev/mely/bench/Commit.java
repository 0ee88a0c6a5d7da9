package dev.mely.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which commit is checked out around the running program, without git: an archive that
 * carried it would differ from commit to commit. Does not tell whether sources have been changed
 * since.
 */
final class Commit {
  private static final int SHORT = 10;

  private Commit() {}

  /** System property: the commit, where the program has been carried away from its checkout. */
  private static final String GIVEN = "mely.bench.commit";

  /** The commit around the program, else around the working directory; {@code unknown} if none. */
  static String current() {
    String given = System.getProperty(GIVEN);
    if (given != null) {
      return given;
    }
    try {
      Path program =
          Path.of(Commit.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      return of(program).or(() -> of(Path.of(""))).orElse("unknown");
    } catch (URISyntaxException | RuntimeException e) {
      return "unknown";
    }
  }

  /** The commit that is checked out around a file or directory, shortened. */
  static Optional<String> of(Path start) {
    Path directory = start.toAbsolutePath();
    while (directory != null) {
      Path git = directory.resolve(".git");
      if (Files.exists(git)) {
        try {
          return Optional.ofNullable(head(git)).map(c -> c.substring(0, SHORT));
        } catch (IOException | RuntimeException e) {
          return Optional.empty();
        }
      }
      directory = directory.getParent();
    }
    return Optional.empty();
  }

  private static @Nullable String head(Path git) throws IOException {
    Path own = git;
    if (Files.isRegularFile(git)) { // a work tree: "gitdir: <where>"
      String where = Files.readString(git).strip().substring("gitdir: ".length());
      own = git.resolveSibling(where);
    }
    String head = Files.readString(own.resolve("HEAD")).strip();
    if (!head.startsWith("ref: ")) {
      return head;
    }
    Path common = own;
    if (Files.exists(own.resolve("commondir"))) {
      common = own.resolve(Files.readString(own.resolve("commondir")).strip());
    }
    String name = head.substring("ref: ".length());
    Path loose = common.resolve(name);
    if (Files.exists(loose)) {
      return Files.readString(loose).strip();
    }
    try (Stream<String> packed = Files.lines(common.resolve("packed-refs"))) {
      return packed
          .filter(line -> line.endsWith(" " + name))
          .map(line -> line.substring(0, line.indexOf(' ')))
          .findFirst()
          .orElse(null);
    }
  }
}
