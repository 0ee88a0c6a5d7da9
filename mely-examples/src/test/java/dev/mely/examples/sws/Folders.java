package dev.mely.examples.sws;

import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;

/** Served folders for tests of other packages. */
public final class Folders {
  private Folders() {}

  /** A served folder over an open directory, which may be one that fails. */
  public static ServedFolder of(Path path, SecureDirectoryStream<Path> root) {
    return new ServedFolder(path, root);
  }
}
