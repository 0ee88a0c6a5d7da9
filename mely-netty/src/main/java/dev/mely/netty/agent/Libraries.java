package dev.mely.netty.agent;

import java.io.File;
import java.net.JarURLConnection;
import java.net.URL;
import org.jspecify.annotations.Nullable;

/** Where the jars are that the agent needs. */
final class Libraries {
  private Libraries() {}

  /** The agent's own jar. */
  static URL own() {
    return MelyAgent.class.getProtectionDomain().getCodeSource().getLocation();
  }

  /**
   * Finds a jar beside the agent's, or else on the class path.
   *
   * @param artifact what the name of the file begins with, before the version
   * @param entry path of a class in it
   * @throws IllegalStateException if there is none
   */
  static URL find(String artifact, String entry) {
    try {
      File folder = new File(own().toURI()).getParentFile();
      File @Nullable [] beside =
          folder.listFiles(
              (parent, name) -> name.matches(artifact + "(-\\d.*)?\\.jar") && !isExtra(name));
      if (beside != null && beside.length > 0) {
        return beside[0].toURI().toURL();
      }
      @Nullable URL found = ClassLoader.getSystemResource(entry);
      if (found != null && found.openConnection() instanceof JarURLConnection jar) {
        return jar.getJarFileURL();
      }
    } catch (Exception e) {
      throw new IllegalStateException("cannot look for " + artifact + ": " + e, e);
    }
    throw new IllegalStateException(
        artifact + ".jar is missing: put it beside " + own().getPath() + ", or on the class path");
  }

  private static boolean isExtra(String name) {
    return name.endsWith("-sources.jar")
        || name.endsWith("-javadoc.jar")
        || name.endsWith("-tests.jar");
  }
}
