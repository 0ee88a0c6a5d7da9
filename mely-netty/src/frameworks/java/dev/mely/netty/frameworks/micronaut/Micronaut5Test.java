package dev.mely.netty.frameworks.micronaut;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.netty.ChildJvm;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.frameworks.Workers;
import io.micronaut.context.ApplicationContext;
import io.micronaut.json.JsonConfiguration;
import io.micronaut.runtime.server.EmbeddedServer;
import io.netty.channel.EventLoopGroup;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The guide's application on Micronaut 5, in a virtual machine of a JDK on which that runs. */
@Timeout(300)
class Micronaut5Test {
  private static final String VERSION = "25";

  @Test
  void theGuidesApplicationRunsOnMely() throws Exception {
    Optional<Path> jdk = jdk();
    assumeTrue(jdk.isPresent(), "no JDK " + VERSION);
    String others =
        Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("micronaut-"))
            .collect(Collectors.joining(File.pathSeparator));
    String five = Path.of("target", "micronaut-5").toAbsolutePath() + File.separator + "*";
    String said =
        ChildJvm.runOn(jdk.get(), five + File.pathSeparator + others, List.of(), Main.class);
    assertEquals(
        List.of(System.getProperty("mely.micronaut-5"), "served by a worker: true", "ended: true"),
        said.lines().filter(line -> line.matches("[\\d.]+|.*: (true|false)")).toList(),
        said);
  }

  /** This one, or one that stands where others do. */
  private static Optional<Path> jdk() throws IOException {
    Path own = Path.of(System.getProperty("java.home")).toRealPath();
    try (Stream<Path> neighbors = Files.list(own.getParent())) {
      return Stream.of(
              Stream.of(own),
              System.getenv().entrySet().stream()
                  .filter(entry -> entry.getKey().startsWith("JAVA_HOME_" + VERSION))
                  .map(entry -> Path.of(entry.getValue())),
              neighbors)
          .flatMap(homes -> homes)
          .filter(Micronaut5Test::fits)
          .findFirst();
    }
  }

  private static boolean fits(Path home) {
    try {
      return Files.readString(home.resolve("release")).contains("JAVA_VERSION=\"" + VERSION);
    } catch (IOException e) {
      return false; // no JDK
    }
  }

  /** Serves one request, and says by whom. */
  public static final class Main {
    private Main() {}

    /** Runs on Micronaut 5. */
    public static void main(String[] arguments) throws Exception {
      ApplicationContext context =
          ApplicationContext.builder()
              .properties(Map.of("micronaut.server.port", -1, "micronaut.server.host", "127.0.0.1"))
              .singletons(new Json())
              .start();
      EmbeddedServer server = context.getBean(EmbeddedServer.class).start();
      MelyEventLoopGroup group = (MelyEventLoopGroup) context.getBean(EventLoopGroup.class);
      System.out.println(ApplicationContext.class.getPackage().getImplementationVersion());
      String answer = new String(server.getURL().openStream().readAllBytes());
      boolean worker =
          Workers.of(group).stream().anyMatch(t -> answer.equals("served by " + t.getName()));
      System.out.println("served by a worker: " + worker);
      server.stop();
      context.close();
      System.out.println("ended: " + group.terminationFuture().await(120_000));
    }
  }

  /** Jackson's is compiled for another Micronaut, and nobody asks for JSON here. */
  private static final class Json implements JsonConfiguration {
    @Override
    public boolean isAlwaysSerializeErrorsAsList() {
      return true;
    }

    @Override
    public int getArraySizeThreshold() {
      return 9;
    }
  }
}
