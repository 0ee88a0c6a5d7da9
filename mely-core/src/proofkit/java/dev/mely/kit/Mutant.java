package dev.mely.kit;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import net.bytebuddy.agent.ByteBuddyAgent;

/**
 * A planted bug: one class of a package of the runtime with a few lines of its source replaced,
 * compiled, and loaded beside the untouched rest, so that a proof can show that it would have
 * noticed.
 *
 * @param name what is broken
 * @param file the source file, relative to the module's outermost package
 * @param original the lines to replace; must occur exactly once
 * @param replacement what stands there instead
 */
public record Mutant(String name, String file, String original, String replacement) {
  private static final Path NETTY = Path.of("dev", "mely", "netty");

  /** The module's outermost package. */
  private static final Path ROOT =
      Files.isDirectory(Path.of("src", "main", "java").resolve(NETTY)) ? NETTY : NETTY.getParent();

  private static final Path SOURCES = Path.of("src", "main", "java").resolve(ROOT);
  private static final Path TESTS = Path.of("src", "test", "java").resolve(ROOT);
  private static final AtomicInteger COPIES = new AtomicInteger();

  /** Loads a class of the file's package, and all that it uses of it, with the bug in it. */
  public Class<?> load(String simpleName, Path scratch) throws IOException, ClassNotFoundException {
    compile(scratch);
    List<URL> urls = new ArrayList<>();
    urls.add(scratch.toUri().toURL());
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    String inPackage = packageOf(SOURCES.resolve(file)) + ".";
    return new MutantLoader(inPackage, urls.toArray(new URL[0])).loadClass(inPackage + simpleName);
  }

  /**
   * As {@link #load}, but from a copy of the package under another name, on the class path for
   * good: for tools that know a class by its name alone.
   */
  public Class<?> loadCopy(String simpleName, Path scratch)
      throws IOException, ClassNotFoundException {
    String copy = "dev.copy" + COPIES.incrementAndGet();
    Path mutated = SOURCES.resolve(file);
    Path inPackage = SOURCES.relativize(mutated.getParent());
    String original = packageOf(mutated);
    Path sources = scratch.resolve("source").resolve(copy.replace('.', '/'));
    Files.createDirectories(sources);
    for (Path folder : List.of(SOURCES, TESTS)) {
      try (DirectoryStream<Path> files =
          Files.newDirectoryStream(folder.resolve(inPackage), "*.java")) {
        for (Path source : files) {
          String text = source.equals(mutated) ? mutated() : Files.readString(source);
          Files.writeString(
              sources.resolve(source.getFileName()),
              text.replace("package " + original + ";", "package " + copy + ";"));
        }
      }
    }
    Path classes = Files.createDirectories(scratch.resolve("classes"));
    javac(
        sources.resolve(simpleName.replaceFirst("(\\$.*)?$", ".java")),
        List.of("-sourcepath", scratch.resolve("source").toString(), "-d", classes.toString()));
    Path jar = scratch.resolve(copy + ".jar");
    pack(classes, jar);
    ByteBuddyAgent.install().appendToSystemClassLoaderSearch(new JarFile(jar.toFile()));
    return Class.forName(copy + "." + simpleName);
  }

  private static String packageOf(Path source) {
    Path folder = ROOT.resolve(SOURCES.relativize(source)).getParent();
    return folder.toString().replace(File.separatorChar, '.');
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
        Stream<Path> files = Files.walk(classes)) {
      for (Path path : files.filter(Files::isRegularFile).toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(path).toString()));
        Files.copy(path, out);
      }
    }
  }

  private String mutated() throws IOException {
    String source = Files.readString(SOURCES.resolve(file));
    int at = source.indexOf(original);
    if (at < 0 || source.indexOf(original, at + 1) >= 0) {
      throw new IllegalStateException(
          "mutant '" + name + "': the lines to replace must occur once in " + file);
    }
    return source.replace(original, replacement);
  }

  /** Compiles the class with the bug, to stand before the sound one on a class path. */
  public void compile(Path scratch) throws IOException {
    Path mutated = scratch.resolve("source").resolve(file);
    Files.createDirectories(mutated.getParent());
    Files.writeString(mutated, mutated());
    javac(mutated, List.of("-d", scratch.toString()));
  }

  private void javac(Path source, List<String> more) throws IOException {
    List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn"));
    options.addAll(more);
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
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

  /** Loads one package itself, mutated class first, and leaves all else to its parent. */
  private static final class MutantLoader extends URLClassLoader {
    private final String inPackage;

    MutantLoader(String inPackage, URL[] urls) {
      super(urls, Mutant.class.getClassLoader());
      this.inPackage = inPackage;
    }

    @Override
    protected Class<?> loadClass(String className, boolean resolve) throws ClassNotFoundException {
      boolean ours =
          className.lastIndexOf('.') == inPackage.length() - 1 && className.startsWith(inPackage);
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
