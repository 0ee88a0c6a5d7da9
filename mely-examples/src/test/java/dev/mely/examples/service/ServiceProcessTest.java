package dev.mely.examples.service;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.Main;
import dev.mely.examples.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The small servers as processes: first line, shortage of descriptors, and a clean end. */
@Timeout(300)
class ServiceProcessTest {
  private static final int DESCRIPTORS = 120;

  @TempDir private Path folder;

  /**
   * Serves; runs out of descriptors, which it says once; serves again when there are some; and ends
   * by SIGTERM with a table of its cores.
   */
  @ParameterizedTest
  @CsvSource({
    "echo,core,hello,hello",
    "echo,netty,hello,hello",
    "counter,core,+,1",
    "counter,netty,+,1",
    "kv,core,PING,+PONG",
    "kv,netty,PING,+PONG",
    "chat,core,name,'* name has come, 1 here'",
    "chat,netty,name,'* name has come, 1 here'"
  })
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that runs shutdown hooks")
  void servesAndStops(String command, String on, String message, String answer) throws Exception {
    Process process = start(command, "--port=0", "--cores=2", "--on=" + on);
    List<TextClient> crowd = new ArrayList<>();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      String carrier = on.equals("core") ? "dev.mely.nio" : "Netty";
      assertTrue(first.startsWith(command + ": listening at 127.0.0.1:"), first);
      assertTrue(first.contains(" on " + carrier + ", 2 cores, policy all"), first);
      int port = Integer.parseInt(first.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1"));
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
      try (TextClient client = new TextClient(address)) {
        assertEquals(answer, client.send(message + "\n").line());
      }
      for (int i = 0; i < DESCRIPTORS; i++) {
        crowd.add(new TextClient(address));
      }
      await().atMost(Duration.ofSeconds(120)).until(() -> log().contains("open files"));
      for (TextClient client : crowd) {
        client.reset();
      }
      try (TextClient client = new TextClient(address)) {
        String again = client.send(message + "\n").line();
        assertEquals(command.equals("counter") ? "2" : answer, again);
      }
      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertEquals(command + ": stopping, once pending answers have been sent", rest.get(0));
      assertTrue(rest.get(1).startsWith(command + ": connections: "), rest.get(1));
      assertTrue(rest.get(2).startsWith("core "), "no table of cores in " + rest);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      for (TextClient client : crowd) {
        client.close();
      }
      process.destroyForcibly();
    }
  }

  static Stream<Arguments> beyondAscii() {
    String text = "gr\u00fc\u00dfe\ud83d\ude00";
    List<String> heard = List.of("* name has come, 1 here", "name: " + text);
    String key = text + "\n";
    List<String> kept = List.of("+OK", "$11", text);
    return Stream.of(
        Arguments.of(List.of("echo", "--on=core"), text + "\n", List.of(text)),
        Arguments.of(List.of("echo", "--on=netty"), text + "\n", List.of(text)),
        Arguments.of(
            List.of("counter"), text + "\n?\n", List.of("error: '+' increments, '?' reads", "0")),
        Arguments.of(List.of("chat", "--on=core"), "name\n" + text + "\n", heard),
        Arguments.of(List.of("chat", "--on=netty"), "name\n" + text + "\n", heard),
        Arguments.of(List.of("kv", "--on=core"), "SET " + text + " " + key + "GET " + key, kept),
        Arguments.of(List.of("kv", "--on=netty"), "SET " + text + " " + key + "GET " + key, kept));
  }

  /** Input is UTF-8 or bytes, in every locale of the server. */
  @ParameterizedTest
  @MethodSource("beyondAscii")
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the locale is no variable there")
  void theLocaleChangesNothing(List<String> command, String says, List<String> answers)
      throws Exception {
    List<String> java = new ArrayList<>();
    java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    java.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path")));
    java.add(Main.class.getName());
    java.addAll(command);
    java.addAll(List.of("--port=0", "--cores=1"));
    ProcessBuilder builder = new ProcessBuilder(java);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.redirectError(folder.resolve("err").toFile()).start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      int port = Integer.parseInt(first.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1"));
      try (TextClient client = new TextClient(new InetSocketAddress("127.0.0.1", port))) {
        client.send(says);
        for (String answer : answers) {
          assertEquals(answer, client.line());
        }
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private Process start(String... options) throws IOException {
    return Programs.server(DESCRIPTORS, folder.resolve("err"), options);
  }

  private String log() throws IOException {
    return Files.readString(folder.resolve("err"));
  }

  private final StringWriter err = new StringWriter();
  private final StringWriter out = new StringWriter();

  private int run(String... args) {
    CommandLine command = CommandLineAccess.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "echo --on disk | unknown transport 'disk': use core or netty",
        "chat --port 65536 | port must be 0 to 65535, but is 65536",
        "counter --cores 0 | cores must be 1 to 1024, but is 0",
        "echo --max-clients 0 | max-clients must be 1 to",
        "echo --drain-timeout -1 | drain timeout in ms must be 0 to",
        "echo --policy fast | unknown steal policy 'fast'",
        "echo --bind no.such.host.invalid | bind address 'no.such.host.invalid' is not known here"
      })
  void aWrongOptionIsNamed(String line, String message) {
    assertEquals(2, run(line.split(" ")));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals(2, err.toString().lines().count(), err.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"core", "netty"})
  void aTakenPortIsNamed(String on) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertEquals(1, run("echo", "--on", on, "--port", "" + taken.getLocalPort()));
      String expected = "echo: cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ";
      assertTrue(err.toString().startsWith(expected), err.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "echo, 7007, are closed at once",
    "counter, 7008, are closed at once",
    "chat, 7009, are closed at once",
    "kv, 6379, are closed at once",
    "proxy, 3128, are closed at once",
    "sws, 8080, get 503",
    "sws-core, 8080, get 503",
    "sfs serve, 4430, a new connection replaces the oldest one"
  })
  void helpNamesThePortAndWhatBecomesOfTooManyClients(String command, int port, String others) {
    assertEquals(0, run((command + " --help").split(" ")));
    String help = out.toString().replaceAll("\\s+", " ");
    assertTrue(help.contains("0 for any free one (default: " + port + ")"), help);
    assertTrue(help.contains(others), help);
  }

  @Test
  void helpNamesTheOptions() {
    for (String command : List.of("echo", "counter", "chat", "kv")) {
      assertEquals(0, run(command, "--help"));
      for (String option : List.of("--on", "--port", "--cores", "--policy", "--drain-timeout")) {
        assertTrue(out.toString().contains(option), option);
      }
      out.getBuffer().setLength(0);
    }
  }
}
