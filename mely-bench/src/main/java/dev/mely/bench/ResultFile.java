package dev.mely.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Writes the raw samples of a run. */
public final class ResultFile {
  private ResultFile() {}

  /**
   * Writes results, by default into a file named after them.
   *
   * @param chosen the file; null for the default, see {@link #write(Path, String, String)}
   * @param results what to write
   * @return the file
   */
  public static Path write(@Nullable Path chosen, Results results) {
    return write(chosen, results.fileName() + ".json", results.toJson());
  }

  /**
   * Writes a file, by default into {@link #directory}.
   *
   * @param chosen the file; null for the default
   * @param name file name for the default
   * @param text what to write
   * @return the file
   */
  public static Path write(@Nullable Path chosen, String name, String text) {
    Path file = chosen != null ? chosen : directory(name);
    try {
      Path parent = file.toAbsolutePath().getParent();
      if (parent != null) {
        Files.createDirectories(parent);
      }
      return Files.writeString(file, text + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write " + file, e);
    }
  }

  /**
   * Returns where files are written: in the build directory if the working directory is the
   * project's root, else in the working directory.
   *
   * @param name of the file, or of a directory for several
   * @return its path
   */
  public static Path directory(String name) {
    Path build = Path.of("mely-bench", "target");
    return Files.isDirectory(build) ? build.resolve(name) : Path.of(name);
  }
}
