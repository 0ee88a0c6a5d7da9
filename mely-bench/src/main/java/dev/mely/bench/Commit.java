package dev.mely.bench;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Asks git for the commit checked out around the running program; in the jar, it would make jars
 * differ between commits. Does not tell whether sources were modified since.
 */
final class Commit {
  private static final String UNKNOWN = "unknown";

  /** System property with the commit, for a jar that was copied out of its checkout. */
  private static final String GIVEN = "mely.bench.commit";

  private Commit() {}

  /** The program's commit, abbreviated; {@code unknown} without a checkout or git. */
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

  /** The commit checked out around a file or directory. */
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
