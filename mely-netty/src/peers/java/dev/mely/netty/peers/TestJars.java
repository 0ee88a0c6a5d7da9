package dev.mely.netty.peers;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The jars that hold tests: these expect to be in a directory, and open their files there. */
final class TestJars {
  private TestJars() {}

  /**
   * Returns the class path of this virtual machine with a directory in place of each jar of tests.
   *
   * @param directory in which theirs are made, unless they are there
   */
  static String unpacked(Path directory) throws IOException {
    List<String> path = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      path.add(entry.endsWith("-tests.jar") ? unpack(entry, directory) : entry);
    }
    return String.join(File.pathSeparator, path);
  }

  private static String unpack(String jar, Path directory) throws IOException {
    String name = Path.of(jar).getFileName().toString().replaceFirst("\\.jar$", "");
    Path to = directory.resolve("unpacked").resolve(name);
    if (Files.exists(to)) {
      return to.toString();
    }
    Files.createDirectories(to.getParent());
    Path half = Files.createTempDirectory(to.getParent(), name);
    try (ZipFile zip = new ZipFile(jar)) {
      for (ZipEntry entry : Collections.list(zip.entries())) {
        Path file = half.resolve(entry.getName()).normalize();
        if (!file.startsWith(half)) {
          throw new IOException(entry.getName() + " in " + jar);
        }
        if (!entry.isDirectory()) {
          Files.createDirectories(file.getParent());
          try (InputStream in = zip.getInputStream(entry)) {
            Files.copy(in, file);
          }
        }
      }
    }
    return Files.move(half, to).toString();
  }
}
