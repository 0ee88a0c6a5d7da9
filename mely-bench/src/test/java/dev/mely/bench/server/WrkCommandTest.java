package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The comparisons whose load wrk makes. */
@Timeout(300)
class WrkCommandTest {
  @TempDir private Path directory;

  /** Stands in for wrk where there is none: says what wrk would say. */
  private String loader() throws IOException {
    Path script = directory.resolve("wrk");
    Files.writeString(script, "#!/bin/sh\necho result 1000 2 2000000 500000 250000 10 20 30 40\n");
    assumeTrue(script.toFile().setExecutable(true), "a script can be run");
    return script.toString();
  }

  private Results run(WrkCommand command, String wrk, String... more) throws IOException {
    assertEquals(0, execute(command, wrk, 1, more));
    return results();
  }

  private int execute(WrkCommand command, String wrk, int seconds, String... more) {
    List<String> args = new ArrayList<>(List.of(more));
    args.addAll(
        List.of(
            "--samples=1",
            "--connections=4",
            "--time=" + seconds,
            "--warm-up=" + seconds,
            "--transports=nio",
            "--cores=2",
            "--groups=stock,mely",
            "--wrk=" + wrk,
            "--jvm-arg=-XX:TieredStopAtLevel=1",
            "--json=" + json()));
    return new CommandLine(command).execute(args.toArray(new String[0]));
  }

  private Path json() {
    return directory.resolve("some.json");
  }

  private Results results() throws IOException {
    return Results.fromJson(Files.readString(json()));
  }

  /** Real servers; nginx is left out where there is none. */
  @Test
  void takesItsFiguresFromTheLoader() throws IOException {
    Results results = run(new SwsCommand(), loader(), "--nginx=no-such-program", "--equal-work=10");
    assertEquals(
        List.of("4 connections nio-stock", "4 connections nio-mely"), results.contenders());
    for (String c : results.contenders()) {
      assertEquals(2_000, results.median(c, "requestsPerSecond"));
      assertEquals(0.03, results.median(c, "p99Millis"));
      assertEquals(2, results.median(c, "failed"));
      assertEquals(1, results.ratio(c).median());
      assertTrue(results.median(c, "at10.perSecond") > 0); // another client's
      assertTrue(
          results.median(c, WarmUp.SECONDS) >= 1 || results.median(c, ResultTable.WARM) == 1);
    }
  }

  static Stream<WrkCommand> commands() {
    return Stream.of(new SwsCommand(), new Web03Command(), new SfsCommand());
  }

  /** All in {@code -Pproof}; else the one that has TLS in addition. */
  static Stream<WrkCommand> some() {
    return Boolean.getBoolean("mely.proof") ? commands() : Stream.of(new SfsCommand());
  }

  /** The whole of it, where wrk is installed, and nginx too if it is. */
  @ParameterizedTest
  @MethodSource("some")
  void servesWhatWrkAsksFor(WrkCommand command) throws IOException {
    assumeTrue(isInstalled("wrk"), "wrk is installed");
    // A second may pass before anything is answered, where the machine is busy: then for longer.
    int seconds = 1;
    while (execute(command, "wrk", seconds, "--equal-work=0") != 0 || !wasAnswered(results())) {
      seconds *= 2;
      assertTrue(seconds <= 32, "nothing is answered");
    }
    Results results = results();
    List<String> expected =
        new ArrayList<>(List.of("4 connections nio-stock", "4 connections nio-mely"));
    if (command instanceof WebCommand && Wrk.isInstalled("nginx")) {
      expected.add("4 connections nginx");
    }
    assertEquals(expected, results.contenders());
    for (String c : results.contenders()) {
      // A connection may be held up for as long as wrk waits, where the machine is busy.
      assertTrue(results.median(c, "failed") <= 4 * seconds, c);
    }
  }

  /** CPU time is counted in ticks of 10 ms, of which so few answers may have none. */
  private static boolean wasAnswered(Results results) {
    return results.contenders().stream()
        .allMatch(
            c ->
                results.median(c, results.score().figure()) > 0
                    && results.median(c, "serverCpus") > 0);
  }

  @ParameterizedTest
  @MethodSource("commands")
  void tabulates(WrkCommand command) {
    Score score = new Score("requestsPerSecond", "requests/s", 1, 0, true);
    Map<String, Double> sample =
        Map.of("requestsPerSecond", 1_234.0, "megabytesPerSecond", 56.78, "stolenMicros", 9.0);
    String table =
        command.table(
            new Results("a", "", score, Map.of("x", "x"), Map.of(), Map.of("x", List.of(sample))));
    assertTrue(table.contains(" 1,234 |"), table);
    assertTrue(table.contains(" 9.00 |"), table);
    assertEquals(command instanceof Web03Command, table.contains("56.8"), table);
  }

  /** wrk itself asks for the paths in order, each connection's last one with a word. */
  @Test
  void asksForOnePathAfterAnother() throws Exception {
    assumeTrue(isInstalled("wrk"), "wrk is installed");
    Site site = new Site.EqualFiles(3, 1);
    Wrk wrk = new Wrk("wrk", directory, site, 2);
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 0);
    server.createContext(
        "/",
        exchange -> {
          String connection = exchange.getRequestHeaders().getFirst("Connection");
          asked.add(exchange.getRequestURI() + (connection == null ? "" : " " + connection));
          if (connection != null) {
            exchange.getResponseHeaders().set("Connection", connection);
          }
          exchange.sendResponseHeaders(200, 1);
          exchange.getResponseBody().write('x');
          exchange.close();
        });
    server.start();
    try {
      // A second may pass before anything is answered, where the machine is busy.
      long answered = 0;
      for (int i = 0; i < 30 && answered == 0; i++) {
        asked.clear();
        answered = wrk.run(server.getAddress().getPort(), 1, 1).requests();
      }
      assertTrue(answered > 0, "nothing is answered");
    } finally {
      server.stop(0);
    }
    // wrk takes the first one away, to look at it.
    List<String> expected =
        List.of("/1.bin close", "/2.bin", "/0.bin close", "/1.bin", "/2.bin close", "/0.bin");
    int some = Math.min(expected.size(), asked.size());
    assertEquals(expected.subList(0, some), asked.subList(0, some));
  }

  private static boolean isInstalled(String program) {
    try {
      new ProcessBuilder(program, "--version").start().destroy();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void passesOnWhatALoaderSaysThatFails() {
    IOException e =
        assertThrows(IOException.class, () -> Wrk.Result.parse("unable to connect to 127.0.0.1\n"));
    assertTrue(e.getMessage().contains("unable to connect"), e::getMessage);
  }
}
