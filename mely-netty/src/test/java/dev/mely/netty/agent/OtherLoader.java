package dev.mely.netty.agent;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Runs a program in a class loader of its own, as servers that load their plugins do. */
final class OtherLoader {
  private OtherLoader() {}

  /**
   * @param arguments class path and main class
   */
  public static void main(String[] arguments) throws Exception {
    List<URL> jars = new ArrayList<>();
    for (String entry : arguments[0].split(File.pathSeparator)) {
      jars.add(Path.of(entry).toUri().toURL());
    }
    try (URLClassLoader loader =
        new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      loader
          .loadClass(arguments[1])
          .getMethod("main", String[].class)
          .invoke(null, (Object) new String[] {"mayMeet"});
    }
  }
}
