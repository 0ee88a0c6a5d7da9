package dev.mely.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The project's documents and sources, as files. Tests run in the folder of their module. */
final class Pages {
  static final Path ROOT = Path.of("..");

  private static final List<String> MODULES =
      List.of("mely-core", "mely-netty", "mely-examples", "mely-bench");

  private Pages() {}

  /**
   * All pages: those at the root and those in {@code docs}. Not the notebook in {@code docs/lab}:
   * it keeps the names and the lines of its time.
   */
  static List<Path> all() {
    return Stream.concat(list(ROOT), list(ROOT.resolve("docs")))
        .filter(file -> file.toString().endsWith(".md"))
        .sorted()
        .toList();
  }

  /** A page of {@code docs}. */
  static Path page(String name) {
    return ROOT.resolve("docs").resolve(name);
  }

  /** All Java files of all modules. */
  static List<Path> sources() {
    return MODULES.stream()
        .flatMap(module -> walk(ROOT.resolve(module).resolve("src")))
        .filter(file -> file.toString().endsWith(".java"))
        .toList();
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> list(Path folder) {
    try (Stream<Path> files = Files.list(folder)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Path> walk(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
