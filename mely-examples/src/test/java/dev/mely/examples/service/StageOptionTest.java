package dev.mely.examples.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.Main;
import dev.mely.examples.stingy.StageJson;
import dev.mely.stage.StageGraph;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** {@code --stages} of the servers. */
@Timeout(300)
class StageOptionTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"echo,--on=core,Read", "echo,--on=netty,I/O of NioSocketChannel"})
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that runs shutdown hooks")
  void writesWhatWasRecorded(String command, String on, String stage) throws Exception {
    Path file = folder.resolve("stages.json");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                command,
                on,
                "--port=0",
                "--cores=1",
                "--stages=" + file)
            .redirectError(folder.resolve("log").toFile())
            .start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      int port = Integer.parseInt(first.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1"));
      try (TextClient client = new TextClient(new InetSocketAddress("127.0.0.1", port))) {
        assertEquals("hello", client.send("hello\n").line());
      }
      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertTrue(rest.get(rest.size() - 1).endsWith("stages written to " + file), rest::toString);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
    } finally {
      process.destroyForcibly();
    }
    StageGraph graph = StageJson.graph(file);
    assertTrue(
        graph.stages().stream().anyMatch(s -> s.name().equals(stage) && s.runs() > 0),
        graph::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "sws",
        "sws-core",
        "kv",
        "proxy",
        "echo",
        "counter",
        "chat",
        "orders",
        "sfs serve"
      })
  void everyServerHasIt(String command) {
    CommandLine line = CommandLineAccess.commandLine();
    for (String name : command.split(" ", -1)) {
      line = line.getSubcommands().get(name);
    }
    assertTrue(line.getUsageMessage().contains("--stages=FILE"), line::getUsageMessage);
  }

  @Test
  void refusesAFileThatIsInNoFolder() {
    CommandLine line = CommandLineAccess.commandLine();
    StringWriter err = new StringWriter();
    line.setErr(new PrintWriter(err));
    assertEquals(2, line.execute("echo", "--port=0", "--stages=" + folder.resolve("no/a.json")));
    assertTrue(err.toString().contains("does not exist"), err::toString);
  }
}
