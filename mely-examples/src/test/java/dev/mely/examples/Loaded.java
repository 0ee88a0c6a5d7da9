package dev.mely.examples;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

/**
 * Runs a program when all of its classes have been loaded: the class with the main method, and its
 * arguments. From a folder, as in tests, a class takes a descriptor to load; one that is needed
 * first when there is none can never be loaded again. A user's program is in a jar, which is open.
 */
public final class Loaded {
  private static final String SUFFIX = ".class";

  private Loaded() {}

  public static void main(String[] args) throws Exception {
    ClassLoader.getSystemResource("in/no/jar"); // opens them all
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path folder = Path.of(entry);
      if (Files.isDirectory(folder) && !folder.endsWith("test-classes")) {
        loadAll(folder);
      }
    }
    Method main = Class.forName(args[0]).getMethod("main", String[].class);
    main.setAccessible(true); // the class may be of its package alone
    main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
  }

  private static void loadAll(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      files
          .map(file -> folder.relativize(file).toString())
          .filter(name -> name.endsWith(SUFFIX) && !name.endsWith("-info" + SUFFIX))
          .map(name -> name.substring(0, name.length() - SUFFIX.length()))
          .forEach(name -> load(name.replace(File.separatorChar, '.')));
    }
  }

  private static void load(String name) {
    try {
      Class.forName(name, false, Loaded.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      // It is for a library that is not on this class path.
    }
  }
}
