package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Main;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The application as a process: start-up line, service, and a clean end by signal. */
class SwsProcessTest {
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that runs shutdown hooks")
  void startServeStop(@TempDir Path root) throws Exception {
    Files.writeString(root.resolve("hello.txt"), "hello");
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "sws",
                "--port=0",
                "--cores=1",
                "--root=" + root)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      assertTrue(first.startsWith("sws: serving " + root + " at http://127.0.0.1:"), first);
      String url = first.replaceFirst(".* at (http://\\S+) with .*", "$1");
      HttpRequest request = HttpRequest.newBuilder(URI.create(url + "hello.txt")).build();
      String body = HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
      assertEquals("hello", body);

      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertEquals("sws: stopping, once pending answers have been sent", rest.get(0));
      assertEquals("sws: connections: 1 served, 0 turned away", rest.get(1));
      assertTrue(rest.size() > 2, "no table of cores in " + rest);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      process.destroyForcibly();
    }
  }
}
