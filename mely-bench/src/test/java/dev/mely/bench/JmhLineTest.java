package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * JMH's own command line, beside the commands. In a JVM of its own, since JMH ends it. Its lock is
 * in a folder of its own.
 */
@Timeout(300)
class JmhLineTest {
  @TempDir private Path directory;

  private record Ended(int code, String out) {}

  private Ended run(String... args) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + directory,
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName()));
    command.addAll(List.of(args));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.waitFor(), out);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-l", "-lp", "jmh -l", "-e penalty -l"})
  void listsTheBenchmarks(String line) throws Exception {
    Ended list = run(line.split(" "));
    assertEquals(0, list.code, list.out);
    assertTrue(list.out.contains("dev.mely.bench.micro.Microbenchmarks.pingPong"), list.out);
    assertEquals(line.equals("-lp"), list.out.contains("param \"configuration\""), list.out);
    assertEquals(!line.contains("penalty"), list.out.contains("Microbenchmarks.penalty"), list.out);
  }

  /** From a regular expression to a file of results. */
  @Test
  void measuresAndLeavesResults() throws Exception {
    Path file = directory.resolve("some.json");
    Ended ended =
        run(
            ("\\.hotColor$ -f 1 -wi 0 -i 1 -r 10ms -p configuration=mely -rf json -rff " + file)
                .split(" "));
    assertEquals(0, ended.code, ended.out);
    Map<?, ?> result = (Map<?, ?>) ((List<?>) Json.read(Files.readString(file))).get(0);
    assertEquals("dev.mely.bench.micro.Microbenchmarks.hotColor", result.get("benchmark"));
    assertEquals("mely", ((Map<?, ?>) result.get("params")).get("configuration"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"-frobnicate", "-rf yaml", "-rff", "penalty -i many"})
  void endsWithJmhsOwnExitCode(String line) throws Exception {
    Ended ended = run(line.split(" "));
    assertEquals(1, ended.code, ended.out);
    assertTrue(ended.out.contains("Error parsing command line"), ended.out);
  }
}
