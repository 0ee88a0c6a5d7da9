package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.codehaus.plexus.languages.java.jpms.LocationManager;
import org.codehaus.plexus.languages.java.jpms.ResolvePathsRequest;
import org.codehaus.plexus.languages.java.jpms.ResolvePathsResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
        """),
    PINNED(
        List.of(
            "mely-core",
            "net.openhft:affinity:" + System.getProperty("mely.affinity"),
            "net.java.dev.jna:jna:" + System.getProperty("mely.jna"),
            "org.slf4j:slf4j-api:" + System.getProperty("mely.slf4j")),
        "requires dev.mely; requires affinity; requires org.slf4j;",
        """
        import dev.mely.Mely;
        import java.nio.file.Files;
        import java.nio.file.Path;
        import java.util.concurrent.FutureTask;

        class App {
          public static void main(String[] arguments) throws Exception {
            FutureTask<String> look =
                new FutureTask<>(() -> Files.readString(Path.of("/proc/thread-self/status")));
            try (Mely mely = Mely.builder().cores(1).pinned(true).build()) {
              mely.execute(mely.newColor(), look);
            }
            String status = look.get();
            boolean oneCpu = status.matches("(?s).*Cpus_allowed_list:[^-,]*Mems.*");
            System.out.println(oneCpu ? "done" : status);
          }
        }
        """),
    REFUSED(
        List.of("mely-core"),
        "requires dev.mely;",
        """
        import dev.mely.Mely;
        import dev.mely.pinning.Unpinned;

        class App {
          public static void main(String[] arguments) throws Exception {
            try (Mely mely = Unpinned.call(() -> Mely.builder().pinned(true).build())) {
              System.out.println("built " + mely);
            } catch (IllegalStateException refused) {
              System.out.println(refused.getMessage());
            }
          }
        }
        """),
    REFUSED_NETTY(
        List.of("mely-netty"),
        "requires dev.mely.netty;",
        """
        import dev.mely.netty.MelyEventLoopGroup;

        class App {
          public static void main(String[] arguments) throws Exception {
            try {
              MelyEventLoopGroup.builder().pinned(true).build();
            } catch (IllegalStateException refused) {
              System.out.println(refused.getMessage());
            }
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
      return this == METRICS || this == PINNED ? "-Xlint:all,-requires-automatic" : "-Xlint:all";
    }

    /** The module that loads a native library, about which the JDK says a word. */
    Optional<String> callsNativeCode() {
      return switch (this) {
        case EPOLL -> Optional.of("io.netty.common");
        case PINNED -> Optional.of("com.sun.jna");
        default -> Optional.empty();
      };
    }

    /** All that the program prints. */
    String says() {
      return this != REFUSED && this != REFUSED_NETTY
          ? "done\n"
          : "Pinning needs OpenHFT Affinity, which is missing: depend on net.openhft:affinity:"
              + System.getProperty("mely.affinity")
              + " and net.java.dev.jna:jna:"
              + System.getProperty("mely.jna")
              + ", and in a module require affinity and org.slf4j\n";
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

  private void compile(Consumer consumer, Path sources, List<String> paths) throws Exception {
    List<String> command = new ArrayList<>(List.of(consumer.lint(), "-Werror"));
    command.addAll(paths);
    command.addAll(List.of("-d", folder.resolve("out").toString()));
    try (Stream<Path> files = Files.walk(sources)) {
      files.filter(Files::isRegularFile).map(Path::toString).forEach(command::add);
    }
    assertEquals("", run(tool("javac"), command));
  }

  private void start(Consumer consumer, Path java, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    if (Runtime.version().feature() >= 24) {
      // Netty and JCTools touch it, about which these say a word.
      command.add("--sun-misc-unsafe-memory-access=allow");
      boolean modules = arguments.contains("-m");
      consumer
          .callsNativeCode()
          .ifPresent(
              module ->
                  command.add("--enable-native-access=" + (modules ? module : "ALL-UNNAMED")));
    }
    command.addAll(arguments);
    assertEquals(consumer.says(), run(java, command));
  }

  private static Path tool(String name) {
    return Path.of(System.getProperty("java.home"), "bin", name);
  }

  /** Everything that a program prints; it must succeed. */
  private String run(Path program, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(arguments);
    Path said = folder.resolve("said");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    int status = process.waitFor();
    String text = Files.readString(said, StandardCharsets.UTF_8);
    assertEquals(0, status, () -> String.join(" ", command) + "\n" + text);
    return text;
  }

  /** Where pinning is possible, or else nothing is said of the program that pins. */
  private static void assumePinningIsPossible(Consumer consumer) {
    assumeTrue(
        consumer != Consumer.PINNED || Pinning.objection(AllowedCpus.system()).isEmpty(),
        "pinning is not advisable here");
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void onTheClassPath(Consumer consumer) throws Exception {
    assumePinningIsPossible(consumer);
    String jars = join(consumer.resolve());
    compile(consumer, sources(consumer, false), List.of("-cp", jars));
    start(
        consumer,
        tool("java"),
        List.of("-cp", jars + File.pathSeparator + folder.resolve("out"), "app.App"));
  }

  @ParameterizedTest
  @MethodSource("runnable")
  void onTheModulePath(Consumer consumer) throws Exception {
    assumePinningIsPossible(consumer);
    String jars = join(consumer.resolve());
    compile(consumer, sources(consumer, true), List.of("-p", jars));
    start(
        consumer,
        tool("java"),
        List.of("-p", jars + File.pathSeparator + folder.resolve("out"), "-m", "app/app.App"));
  }

  /** A Java runtime of the program's modules alone, none of which may be automatic. */
  @ParameterizedTest
  @EnumSource(names = {"CORE", "NETTY"})
  void inAnImageOfItsOwn(Consumer consumer) throws Exception {
    String jars = join(consumer.resolve());
    compile(consumer, sources(consumer, true), List.of("-p", jars));
    Path image = folder.resolve("image");
    assertEquals(
        "",
        run(
            tool("jlink"),
            List.of(
                "-p",
                jars + File.pathSeparator + folder.resolve("out"),
                "--add-modules",
                "app",
                "--output",
                image.toString())));
    start(consumer, image.resolve("bin/java"), List.of("-m", "app/app.App"));
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
  void theseArtifactsAreResolvedAndNoOthers() throws Exception {
    assertEquals(List.of("jctools-core", "jspecify", "mely-core"), artifacts(Consumer.CORE));
    assertEquals(
        List.of(
            "jctools-core",
            "jspecify",
            "mely-core",
            "mely-netty",
            "netty-buffer",
            "netty-common",
            "netty-resolver",
            "netty-transport"),
        artifacts(Consumer.NETTY));
  }

  private static List<String> artifacts(Consumer consumer) throws Exception {
    return consumer.resolve().stream()
        .map(jar -> jar.getFileName().toString().replaceFirst("-\\d.*", ""))
        .sorted()
        .toList();
  }
}
