package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.codehaus.plexus.languages.java.jpms.LocationManager;
import org.codehaus.plexus.languages.java.jpms.ResolvePathsRequest;
import org.codehaus.plexus.languages.java.jpms.ResolvePathsResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Programs that depend on the packaged modules, compiled and run with exactly what Maven resolves
 * for them: no optional library, every lint, and not a word from the compiler or the program.
 */
class ConsumerIT {
  /** A program, what it depends on, and what its module requires. */
  private enum Consumer {
    CORE(
        List.of("mely-core"),
        "requires dev.mely;",
        """
        import dev.mely.Handler;
        import dev.mely.Mely;

        class App {
          public static void main(String[] arguments) throws Exception {
            try (Mely mely = Mely.builder().build()) {
              mely.register(mely.newColor(), Handler.of(System.out::println), "done");
            }
          }
        }
        """),
    NETTY(
        List.of("mely-netty"),
        "requires dev.mely.netty;",
        """
        import dev.mely.netty.MelyEventLoopGroup;
        import io.netty.channel.EventLoopGroup;
        import java.util.concurrent.TimeUnit;

        class App {
          public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = MelyEventLoopGroup.builder().build();
            group.next().submit(() -> System.out.println("done")).sync();
            group.shutdownGracefully(0, 9, TimeUnit.SECONDS).sync();
          }
        }
        """),
    METRICS(
        List.of(
            "mely-netty", "io.micrometer:micrometer-core:" + System.getProperty("mely.micrometer")),
        "requires dev.mely.netty; requires micrometer.core;",
        """
        import dev.mely.netty.MelyEventLoopGroup;
        import dev.mely.netty.metrics.MelyMetrics;
        import io.micrometer.core.instrument.Tags;
        import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
        import java.util.concurrent.TimeUnit;

        class App {
          public static void main(String[] arguments) throws Exception {
            MelyEventLoopGroup group = MelyEventLoopGroup.builder().build();
            SimpleMeterRegistry registry = new SimpleMeterRegistry();
            try (MelyMetrics metrics = new MelyMetrics(group, Tags.empty())) {
              metrics.bindTo(registry);
              System.out.println(registry.get("mely.channels").gauge().value() == 0 ? "done" : "?");
            }
            group.shutdownGracefully(0, 9, TimeUnit.SECONDS).sync();
          }
        }
        """),
    EPOLL(
        List.of(
            "mely-netty",
            "io.netty:netty-transport-native-epoll:jar:"
                + System.getProperty("mely.native")
                + ":"
                + System.getProperty("mely.netty")),
        "requires dev.mely.netty;"
            + " requires io.netty.transport.classes.epoll;"
            + " requires io.netty.transport.epoll."
            + System.getProperty("mely.native").replace('-', '.')
            + ";",
        """
        import dev.mely.netty.MelyEventLoopGroup;
        import java.util.concurrent.TimeUnit;

        class App {
          public static void main(String[] arguments) throws Exception {
            MelyEventLoopGroup group = MelyEventLoopGroup.builder().transport("epoll").build();
            System.out.println(
                group.serverSocketChannelType().getSimpleName().contains("Epoll") ? "done" : "NIO");
            group.shutdownGracefully(0, 9, TimeUnit.SECONDS).sync();
          }
        }
        """);

    private final List<String> dependencies;
    private final String requirements;
    private final String program;

    Consumer(List<String> dependencies, String requirements, String program) {
      this.dependencies = dependencies;
      this.requirements = requirements;
      this.program = program;
    }

    List<Path> resolve() throws Exception {
      return Resolved.of(
          dependencies.stream()
              .map(
                  name ->
                      name.contains(":")
                          ? name
                          : "dev.mely:" + name + ":" + System.getProperty("mely.version"))
              .toArray(String[]::new));
    }

    /** An automatic module that a program itself requires is its own affair. */
    String lint() {
      return this == METRICS ? "-Xlint:all,-requires-automatic" : "-Xlint:all";
    }
  }

  @TempDir private Path folder;

  static Stream<Consumer> runnable() {
    return Stream.of(Consumer.values())
        .filter(consumer -> consumer != Consumer.EPOLL || OS.LINUX.isCurrentOs());
  }

  private Path sources(Consumer consumer, boolean module) throws Exception {
    Path app = Files.createDirectories(folder.resolve("src/app"));
    Files.writeString(app.resolve("App.java"), "package app;\n" + consumer.program);
    if (module) {
      Files.writeString(
          folder.resolve("src/module-info.java"), "module app { " + consumer.requirements + " }");
    }
    return folder.resolve("src");
  }

  private static String join(Collection<Path> path) {
    return path.stream().map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * Netty looks for SLF4J before it takes the JDK's logging, and finds the interface alone, which
   * the core's Affinity library brings: SLF4J says so where a program has chosen no provider.
   */
  private static String withoutGreeting(Consumer consumer, String said) {
    return consumer == Consumer.CORE ? said : said.replaceAll("SLF4J\\(W\\): .*\n", "");
  }

  private void compile(Consumer consumer, Path sources, List<String> paths) throws Exception {
    List<String> command = new ArrayList<>(List.of(consumer.lint(), "-Werror"));
    command.addAll(paths);
    command.addAll(List.of("-d", folder.resolve("out").toString()));
    try (Stream<Path> files = Files.walk(sources)) {
      files.filter(Files::isRegularFile).map(Path::toString).forEach(command::add);
    }
    assertEquals("", run("javac", command));
  }

  private void start(Consumer consumer, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (Runtime.version().feature() >= 24) {
      // Netty and JCTools touch it, about which these say a word.
      command.add("--sun-misc-unsafe-memory-access=allow");
      if (consumer == Consumer.EPOLL) {
        // Netty loads a native library, about which these say another.
        boolean modules = arguments.contains("-m");
        command.add("--enable-native-access=" + (modules ? "io.netty.common" : "ALL-UNNAMED"));
      }
    }
    command.addAll(arguments);
    assertEquals("done\n", withoutGreeting(consumer, run("java", command)));
  }

  /** Everything that a tool of this JDK prints; it must succeed. */
  private String run(String tool, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", tool).toString());
    command.addAll(arguments);
    Path said = folder.resolve(tool);
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    int status = process.waitFor();
    String text = Files.readString(said, StandardCharsets.UTF_8);
    assertEquals(0, status, () -> String.join(" ", command) + "\n" + text);
    return text;
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void onTheClassPath(Consumer consumer) throws Exception {
    String jars = join(consumer.resolve());
    compile(consumer, sources(consumer, false), List.of("-cp", jars));
    start(consumer, List.of("-cp", jars + File.pathSeparator + folder.resolve("out"), "app.App"));
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void onTheModulePath(Consumer consumer) throws Exception {
    String jars = join(consumer.resolve());
    compile(consumer, sources(consumer, true), List.of("-p", jars));
    start(
        consumer,
        List.of("-p", jars + File.pathSeparator + folder.resolve("out"), "-m", "app/app.App"));
  }

  /**
   * Maven gives javac as modules what the program's module needs, and the rest on the class path.
   */
  @ParameterizedTest
  @MethodSource("runnable")
  void withWhatMavenTakesForModules(Consumer consumer) throws Exception {
    Path sources = sources(consumer, true);
    ResolvePathsResult<Path> paths =
        new LocationManager()
            .resolvePaths(
                ResolvePathsRequest.ofPaths(consumer.resolve())
                    .setIncludeStatic(true)
                    .setMainModuleDescriptor(sources.resolve("module-info.java")));
    compile(
        consumer,
        sources,
        List.of(
            "-p",
            join(paths.getModulepathElements().keySet()),
            "-cp",
            join(paths.getClasspathElements())));
  }

  @Test
  void optionalLibrariesAreNotResolved() throws Exception {
    String jars = join(Consumer.NETTY.resolve());
    assertTrue(jars.contains("mely-core"), jars);
    assertFalse(jars.contains("micrometer"), jars);
    assertFalse(jars.contains("blockhound"), jars);
  }
}
