package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Where a stage graph is written to, in the form that the file's name ends in.
 *
 * @param path of the file
 * @param form in which it is written
 */
public record GraphFile(Path path, Form form) {
  /** What a graph can be written as. */
  enum Form {
    SVG,
    PNG,
    JSON
  }

  /**
   * Chooses the form by the name.
   *
   * @param path ends in .svg, .png or .json
   * @return the file
   * @throws IllegalArgumentException if it ends otherwise, or is in no folder
   */
  public static GraphFile of(Path path) {
    Path folder = path.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw new IllegalArgumentException("'" + path + "' is in no folder");
    }
    String name = path.toString().toLowerCase(Locale.ROOT);
    for (Form form : Form.values()) {
      if (name.endsWith("." + form.name().toLowerCase(Locale.ROOT))) {
        return new GraphFile(path, form);
      }
    }
    throw new IllegalArgumentException("'" + path + "' ends in none of .svg, .png and .json");
  }

  /**
   * Writes a graph.
   *
   * @param graph what to write
   * @throws IOException if the file cannot be written
   */
  public void write(StageGraph graph) throws IOException {
    switch (form) {
      case SVG -> Files.writeString(path, StagePicture.of(graph).svg());
      case PNG -> Files.write(path, StagePicture.of(graph).png());
      default -> Files.writeString(path, graph.json());
    }
  }

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

  @Override
  public String toString() {
    return path.toString();
  }

  /** Reads the name of such a file. */
  public static final class Converter implements ITypeConverter<GraphFile> {
    /** Made by the command line alone. */
    public Converter() {}

    @Override
    public GraphFile convert(String name) {
      try {
        return of(Path.of(name));
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(String.valueOf(e.getMessage()));
      }
    }
  }
}
