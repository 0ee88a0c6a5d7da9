package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.bench.Results;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(90)
class SwsTest {
  @TempDir private Path directory;

  /** Stands in for wrk where there is none: says what wrk would say. */
  private String loader() throws IOException {
    Path script = directory.resolve("wrk");
    Files.writeString(script, "#!/bin/sh\necho result 1000 2 2000000 500000 250000 10 20 30 40\n");
    assumeTrue(script.toFile().setExecutable(true), "a script can be run");
    return script.toString();
  }

  private Results run(String wrk, String nginx) throws IOException {
    Path json = directory.resolve("sws.json");
    int code =
        new CommandLine(new SwsCommand())
            .execute(
                "--samples=1",
                "--connections=4",
                "--time=1",
                "--warm-up=1",
                "--transports=nio",
                "--cores=2",
                "--wrk=" + wrk,
                "--nginx=" + nginx,
                "--jvm-arg=-XX:TieredStopAtLevel=1",
                "--json=" + json);
    assertEquals(0, code);
    return Results.fromJson(Files.readString(json));
  }

  /** Real servers; nginx is left out where there is none. */
  @Test
  void takesItsFiguresFromTheLoader() throws IOException {
    Results results = run(loader(), "no-such-program");
    assertEquals(
        List.of("4 connections nio-stock", "4 connections nio-mely"), results.contenders());
    for (String c : results.contenders()) {
      assertEquals(2_000, results.median(c, "requestsPerSecond"));
      assertEquals(0.03, results.median(c, "p99Millis"));
      assertEquals(2, results.median(c, "failed"));
      assertEquals(1, results.ratio(c).median());
    }
  }

  /** The whole of it, where wrk is installed, and nginx too if it is. */
  @Test
  void servesWhatWrkAsksFor() throws IOException {
    assumeTrue(isInstalled("wrk"), "wrk is installed");
    Results results = run("wrk", "nginx");
    List<String> expected =
        new ArrayList<>(List.of("4 connections nio-stock", "4 connections nio-mely"));
    if (Nginx.isInstalled("nginx")) {
      expected.add("4 connections nginx");
    }
    assertEquals(expected, results.contenders());
    for (String c : results.contenders()) {
      assertTrue(results.median(c, "requestsPerSecond") > 0, c);
      assertTrue(results.median(c, "serverCpus") > 0, c);
      assertEquals(0, results.median(c, "failed"), c);
    }
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
