package dev.mely.netty.agent;

import java.net.URL;
import java.net.URLClassLoader;

/**
 * Loads the agent's libraries itself, whatever its parent knows of them: the agent's jar is on the
 * class path, where its classes would be linked to another Netty, or to none.
 */
final class OwnLoader extends URLClassLoader {
  static {
    registerAsParallelCapable();
  }

  /**
   * @param parent what the libraries are linked to
   * @param jars of the libraries
   */
  OwnLoader(ClassLoader parent, URL... jars) {
    super("mely", jars, parent);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith("dev.mely.")
        && !name.startsWith("org.jctools.")
        && !name.startsWith("net.bytebuddy.")) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> own = findLoadedClass(name);
      return own != null ? own : findClass(name);
    }
  }
}
