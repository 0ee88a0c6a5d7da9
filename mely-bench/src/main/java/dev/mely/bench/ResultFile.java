package dev.mely.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Where a run leaves its raw samples. */
public final class ResultFile {
  private ResultFile() {}

  /**
   * Writes results, by default into a file that is named after them.
   *
   * @param chosen where to; null for the default, see {@link #write(Path, String, String)}
   * @param results what to write
   * @return where they are now
   */
  public static Path write(@Nullable Path chosen, Results results) {
    return write(chosen, results.fileName() + ".json", results.toJson());
  }

  /**
   * Writes a file, by default where {@link #directory} says.
   *
   * @param chosen where to; null for the default
   * @param name file name for the default
   * @param text what to write
   * @return where it is now
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
   * Tells where files are left: in the build directory if the program is run from the root of the
   * project, else in the working directory.
   *
   * @param name of the file, or of a directory for several
   * @return where it is to be
   */
  public static Path directory(String name) {
    Path build = Path.of("mely-bench", "target");
    return Files.isDirectory(build) ? build.resolve(name) : Path.of(name);
  }
}
