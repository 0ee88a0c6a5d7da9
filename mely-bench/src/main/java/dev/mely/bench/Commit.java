package dev.mely.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Asks git which commit is checked out around the running program: an archive that carried it would
 * differ from commit to commit. Does not tell whether sources have been changed since.
 */
final class Commit {
  private static final String UNKNOWN = "unknown";

  /** System property: the commit, where the program has been carried away from its checkout. */
  private static final String GIVEN = "mely.bench.commit";

  private Commit() {}

  /** The commit around the program, shortened; {@code unknown} if there is none, or no git. */
  static String current() {
    String given = System.getProperty(GIVEN);
    if (given != null) {
      return given;
    }
    try {
      return of(Path.of(Commit.class.getProtectionDomain().getCodeSource().getLocation().toURI()));
    } catch (URISyntaxException | RuntimeException e) {
      return UNKNOWN;
    }
  }

  /** The commit that is checked out around a file or directory. */
  static String of(Path program) {
    Path directory = Files.isDirectory(program) ? program : program.toAbsolutePath().getParent();
    ProcessBuilder git =
        new ProcessBuilder(
                "git", "-C", String.valueOf(directory), "rev-parse", "--short=10", "HEAD")
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    try {
      byte[] said = git.start().getInputStream().readAllBytes();
      String commit = new String(said, StandardCharsets.UTF_8).strip();
      return commit.matches("[0-9a-f]{10,}") ? commit : UNKNOWN;
    } catch (IOException e) {
      return UNKNOWN;
    }
  }
}
