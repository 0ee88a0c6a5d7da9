package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.service.Server;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that were not written for this server: redis-cli and redis-benchmark. */
@Timeout(300)
class OtherClientsTest {
  private static List<String> command(Server server, String program, String... words) {
    String port = "" + server.address().getPort();
    List<String> command = new ArrayList<>(List.of(program, "-h", "127.0.0.1", "-p", port));
    command.addAll(List.of(words));
    return command;
  }

  private static String said(Server server, String program, String... words) throws Exception {
    return Programs.output(command(server, program, words).toArray(String[]::new));
  }

  /** What a program says to what is piped into it. */
  private static String said(List<String> command, String input) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void redisCli() throws Exception {
    assumeTrue(Programs.run("redis-cli", "--version"), "redis-cli is not installed");
    try (Server server = Kv.start(1)) {
      assertEquals("PONG\n", said(server, "redis-cli", "ping"));
      assertEquals("OK\n", said(server, "redis-cli", "set", "greeting", "hello world"));
      assertEquals("hello world\n", said(server, "redis-cli", "get", "greeting"));
      String version3 = said(command(server, "redis-cli", "-3", "ping"), "");
      assertTrue(version3.contains("ERR unknown command 'HELLO'"), version3);
      String answers = said(command(server, "redis-cli"), "multi\nset a 1\nincr a\nexec\n");
      assertEquals("OK\nQUEUED\nQUEUED\nOK\n2\n", answers.replace("\n\n", "\n"));
      String many = RespClient.command("INCR", "n").repeat(10_000);
      String summary = said(command(server, "redis-cli", "--pipe"), many);
      assertTrue(summary.contains("errors: 0, replies: 10000"), summary);
      assertEquals("10000\n", said(server, "redis-cli", "get", "n"));
    }
  }

  @Test
  void redisBenchmark() throws Exception {
    assumeTrue(
        Programs.run("sh", "-c", "command -v redis-benchmark > /dev/null"),
        "redis-benchmark is not installed");
    try (Server server = Kv.start(1)) {
      String options = "-n 2000 -q -P 16 -r 100 -t ping,set,get,incr,mset";
      String said = said(server, "redis-benchmark", options.split(" "));
      for (String line : List.of("PING_INLINE: ", "SET: ", "GET: ", "MSET (10 keys): ")) {
        assertTrue(said.contains(line), said);
      }
      assertFalse(said.toLowerCase(Locale.ROOT).contains("error"), said);
    }
  }
}
