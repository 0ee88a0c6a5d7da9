package dev.mely.netty.agent;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The packaged agent, and the jars beside which an operator puts it. */
public final class AgentJars {
  static final String SEPARATOR = File.pathSeparator;

  private AgentJars() {}

  /**
   * Copies the agent and what it needs into a folder.
   *
   * @param others the names, without version, of those that it finds there
   * @return the agent
   */
  public static Path copyTo(Path folder, String... others) throws Exception {
    for (String name : others) {
      Path jar = name.equals("mely-core") ? built(name) : onClassPath(name);
      Files.copy(jar, folder.resolve(jar.getFileName()));
    }
    return Files.copy(built("mely-netty"), folder.resolve("mely-netty.jar"));
  }

  private static Path built(String module) throws Exception {
    try (Stream<Path> files = Files.list(Path.of("..", module, "target"))) {
      return files
          .filter(
              file -> file.getFileName().toString().matches(module + "-[\\d.]+(-SNAPSHOT)?\\.jar"))
          .findFirst()
          .orElseThrow();
    }
  }

  private static Path onClassPath(String name) {
    return entries(entry -> name(entry).matches(name + "-\\d.*\\.jar")).get(0);
  }

  /** The classes of these tests alone. */
  static String ofTests() {
    return join(entries(entry -> entry.endsWith("test-classes")));
  }

  /** The jars of Netty. */
  static String ofNetty() {
    return join(
        entries(
            entry ->
                name(entry)
                    .matches(
                        "netty-(buffer|common|resolver|transport(-classes-epoll|-native-epoll|-native-unix-common)?)-\\d.*")));
  }

  /** A program's class path: the classes of these tests, and the jars of Netty. */
  public static String ofProgram() {
    return ofTests() + SEPARATOR + ofNetty();
  }

  /** The class path of this test without Mely, and without what {@link #copyTo} copies. */
  public static String classPathWithoutMely() {
    return join(
        entries(
            entry ->
                !entry.endsWith("classes")
                    && !name(entry).matches("(mely-|jctools-core-|byte-buddy-\\d).*\\.jar")));
  }

  /** What the agent needs, from the class path of this test. */
  public static String libraries() throws Exception {
    return join(
        List.of(
            built("mely-netty"),
            built("mely-core"),
            onClassPath("jctools-core"),
            onClassPath("byte-buddy")));
  }

  /** A program's class path with the Netty that the agent refuses. */
  public static String withRefusedNetty() throws Exception {
    try (Stream<Path> jars = Files.list(Path.of("target", "refused-netty"))) {
      return ofTests() + SEPARATOR + join(jars.toList());
    }
  }

  private static List<Path> entries(Predicate<Path> wanted) {
    return Arrays.stream(System.getProperty("java.class.path").split(SEPARATOR))
        .map(Path::of)
        .filter(wanted)
        .toList();
  }

  private static String name(Path entry) {
    return entry.getFileName().toString();
  }

  private static String join(List<Path> path) {
    return path.stream().map(Path::toString).collect(Collectors.joining(SEPARATOR));
  }
}
