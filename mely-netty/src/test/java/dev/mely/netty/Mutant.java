package dev.mely.netty;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
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
 * A planted bug: one class of the package with a few lines of its source replaced, so that a proof
 * can show that it would have noticed.
 *
 * @param name what is broken
 * @param file the source file
 * @param original the lines to replace; must occur exactly once
 * @param replacement what stands there instead
 */
record Mutant(String name, String file, String original, String replacement) {
  private static final Path SOURCES = Path.of("src", "main", "java", "dev", "mely", "netty");
  private static final Path TESTS = Path.of("src", "test", "java", "dev", "mely", "netty");
  private static final AtomicInteger COPIES = new AtomicInteger();

  /**
   * Loads a class, and all that it uses of the package, from a copy of the package with the bug in
   * it. The copy has another name: Lincheck knows a class by its name alone.
   */
  Class<?> loadCopy(String simpleName, Path scratch) throws IOException, ClassNotFoundException {
    String copy = "dev.copy" + COPIES.incrementAndGet();
    Path sources = scratch.resolve("source").resolve(copy.replace('.', '/'));
    Files.createDirectories(sources);
    for (Path folder : List.of(SOURCES, TESTS)) {
      try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.java")) {
        for (Path source : files) {
          String name = source.getFileName().toString();
          String text = name.equals(file) ? mutated() : Files.readString(source);
          Files.writeString(
              sources.resolve(name), text.replace("package dev.mely.netty;", packageLine(copy)));
        }
      }
    }
    Path classes = Files.createDirectories(scratch.resolve("classes"));
    compile(
        sources.resolve(simpleName.replaceFirst("(\\$.*)?$", ".java")),
        List.of("-sourcepath", scratch.resolve("source").toString(), "-d", classes.toString()));
    Path jar = scratch.resolve(copy + ".jar");
    pack(classes, jar);
    ByteBuddyAgent.install().appendToSystemClassLoaderSearch(new JarFile(jar.toFile()));
    return Class.forName(copy + "." + simpleName);
  }

  private static String packageLine(String copy) {
    return "package " + copy + ";";
  }

  /** Compiles the class with the bug in it, to stand before the sound one on a class path. */
  void compileTo(Path folder) throws IOException {
    Path source = folder.resolve("source").resolve(file);
    Files.createDirectories(source.getParent());
    Files.writeString(source, mutated());
    compile(source, List.of("-d", folder.toString()));
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

  private void compile(Path source, List<String> options) throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    List<String> all = Stream.concat(Stream.of("-proc:none", "-nowarn"), options.stream()).toList();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
      boolean compiled =
          compiler
              .getTask(messages, files, null, all, null, files.getJavaFileObjects(source))
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
}
