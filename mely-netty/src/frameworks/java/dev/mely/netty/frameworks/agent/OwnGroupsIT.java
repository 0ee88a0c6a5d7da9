package dev.mely.netty.frameworks.agent;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.ChildJvm;
import dev.mely.netty.agent.AgentJars;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Frameworks that make their groups themselves, as they are and with the agent: their requests are
 * answered, and on Mely's workers. Prints how many each thread has served.
 */
@Timeout(600)
class OwnGroupsIT {
  @TempDir private Path folder;

  @Test
  void armeria() throws Exception {
    compare(ArmeriaProgram.class, "=com.linecorp.armeria", "com.linecorp.armeria.");
  }

  @Test
  void micronaut() throws Exception {
    compare(MicronautProgram.class, "=io.micronaut", "io.micronaut.");
  }

  /** It finds mely-netty on the class path, the agent's, but not mely-core: that is the agent's. */
  @Test
  void vertx() throws Exception {
    compare(VertxProgram.class, "=io.vertx", "io.vertx.");
  }

  @Test
  void spark() throws Exception {
    compare(SparkProgram.class, "=org.apache.spark", "org.apache.spark.");
  }

  private void compare(Class<?> program, String argument, String caller) throws Exception {
    String path = AgentJars.classPathWithoutMely();
    List<String> options =
        List.of(
            "-XX:ActiveProcessorCount=2",
            "-Dcom.linecorp.armeria.numCommonWorkers=2",
            "-Dcom.linecorp.armeria.defaultRequestTimeoutMillis=120000");
    String before = ChildJvm.run(path, options, program);
    assertTrue(before.contains("answers: 400, on Mely: false\n"), before);
    Path lib = Files.createDirectory(folder.resolve("lib"));
    Path agent = AgentJars.copyTo(lib, "mely-core", "jctools-core", "byte-buddy");
    List<String> with = new ArrayList<>(options);
    with.add("-javaagent:" + agent + argument);
    String after = ChildJvm.run(path, with, program);
    assertTrue(after.contains("answers: 400, on Mely: true\n"), after);
    assertTrue(
        after.matches(
            "(?s).*mely: \\w+ at (\\w+//)?"
                + caller.replace(".", "\\.")
                + ".* runs on Mely, workers: 2\n.*"),
        after);
    System.out.println(program.getSimpleName() + " on Netty:\n" + lines(before));
    System.out.println(program.getSimpleName() + " on Mely:\n" + lines(after));
  }

  private static String lines(String said) {
    return String.join(
        "\n",
        said.lines()
            .filter(line -> line.startsWith("served by") || line.startsWith("mely:"))
            .toList());
  }
}
