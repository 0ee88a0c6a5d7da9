package dev.mely.examples;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a process has open. */
public final class Descriptors {
  private Descriptors() {}

  /**
   * Looks at the descriptors of this process.
   *
   * @return where each leads to; nothing on systems that do not tell
   */
  public static List<Path> open() throws IOException {
    return open(ProcessHandle.current().pid());
  }

  /**
   * Looks at the descriptors of a process.
   *
   * @param pid its number
   * @return where each leads to; nothing on systems that do not tell
   */
  public static List<Path> open(long pid) throws IOException {
    Path descriptors = Path.of("/proc/" + pid + "/fd");
    List<Path> open = new ArrayList<>();
    if (Files.isDirectory(descriptors)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(descriptors)) {
        for (Path descriptor : all) {
          try {
            open.add(Files.readSymbolicLink(descriptor));
          } catch (NoSuchFileException closedMeanwhile) {
            continue;
          }
        }
      }
    }
    return open;
  }
}
