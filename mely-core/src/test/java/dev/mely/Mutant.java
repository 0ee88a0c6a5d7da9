package dev.mely;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * A planted bug: one class of the runtime with a few lines of its source replaced, compiled, and
 * loaded beside the untouched rest, so that a proof can show that it would have noticed.
 *
 * @param name what is broken
 * @param file the source file, relative to the package
 * @param original the lines to replace; must occur exactly once
 * @param replacement what stands there instead
 */
record Mutant(String name, String file, String original, String replacement) {
  private static final String PACKAGE = "dev.mely.";
  private static final Path SOURCES = Path.of("src", "main", "java", "dev", "mely");

  /** Loads a class of this package, and all that it uses of this package, with the bug in it. */
  Class<?> load(String simpleName, Path scratch) throws IOException, ClassNotFoundException {
    compile(scratch);
    List<URL> urls = new ArrayList<>();
    urls.add(scratch.toUri().toURL());
    for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return new MutantLoader(urls.toArray(new URL[0])).loadClass(PACKAGE + simpleName);
  }

  private void compile(Path scratch) throws IOException {
    String source = Files.readString(SOURCES.resolve(file));
    int at = source.indexOf(original);
    if (at < 0 || source.indexOf(original, at + 1) >= 0) {
      throw new IllegalStateException(
          "mutant '" + name + "': the lines to replace must occur once in " + file);
    }
    Path mutated = scratch.resolve("source").resolve(file);
    Files.createDirectories(mutated.getParent());
    Files.writeString(mutated, source.replace(original, replacement));
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-proc:none", "-nowarn", "-d", scratch.toString()),
                  null,
                  files.getJavaFileObjects(mutated))
              .call();
      if (!compiled) {
        throw new IllegalStateException("mutant '" + name + "' does not compile: " + messages);
      }
    }
  }

  @Override
  public String toString() {
    return name;
  }

  /** Loads this package itself, mutated class first, and leaves all else to its parent. */
  private static final class MutantLoader extends URLClassLoader {
    MutantLoader(URL[] urls) {
      super(urls, Mutant.class.getClassLoader());
    }

    @Override
    protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
      boolean ours = className.startsWith(PACKAGE) && className.indexOf('.', PACKAGE.length()) < 0;
      if (!ours) {
        return super.loadClass(className, resolve);
      }
      synchronized (getClassLoadingLock(className)) {
        Class<?> loaded = findLoadedClass(className);
        return loaded != null ? loaded : findClass(className);
      }
    }
  }
}
