package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** A file that {@code --stages} has written. */
final class GraphFile {
  private GraphFile() {}

  /**
   * Reads a graph.
   *
   * @param path of a .json file
   * @return what is in it
   * @throws IOException if the file cannot be read
   * @throws IllegalArgumentException if it is no graph; the message says where
   */
  static StageGraph read(Path path) throws IOException {
    String text = Files.readString(path);
    try {
      return StageGraph.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("'" + path + "' is no stage graph: " + e.getMessage(), e);
    }
  }

  /**
   * What is wrong, with the name of the file, which the exceptions of files may only consist of.
   */
  static String explain(Exception e) {
    if (e instanceof NoSuchFileException missing) {
      return "there is no file '" + missing.getFile() + "'";
    }
    return e instanceof IOException ? e.toString() : String.valueOf(e.getMessage());
  }
}
