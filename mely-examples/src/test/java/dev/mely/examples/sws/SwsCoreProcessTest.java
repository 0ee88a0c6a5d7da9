package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Loaded;
import dev.mely.examples.Programs;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sws-core} as a process whose class path has no Netty and that has few descriptors. */
@Timeout(300)
@DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that runs shutdown hooks")
class SwsCoreProcessTest {
  private static final int DESCRIPTORS = 120;

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"mely", "2003"})
  void servesWithoutNetty(String coloring) throws Exception {
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.writeString(root.resolve("hello.txt"), "hello");
    Files.write(root.resolve("large"), new byte[300_000]);
    Process process = start("--root=" + root, "--coloring=" + coloring);
    List<Socket> crowd = new ArrayList<>();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      assertTrue(first.startsWith("sws-core: serving " + root + " at http://127.0.0.1:"), first);
      assertTrue(first.contains("2 cores, dev.mely.nio, coloring " + coloring), first);
      URI url = URI.create(first.replaceFirst(".* at (http://\\S+) with .*", "$1"));
      assertEquals("hello", get(url, "hello.txt"));
      assertEquals(300_000, get(url, "large").length());

      for (int i = 0; i < DESCRIPTORS; i++) {
        crowd.add(new Socket("127.0.0.1", url.getPort()));
      }
      await().atMost(Duration.ofSeconds(120)).until(() -> log().contains("open files"));
      for (Socket client : crowd) {
        client.close();
      }
      // It may take a moment until it has closed enough sockets to have a descriptor for a file.
      await()
          .atMost(Duration.ofSeconds(120))
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(() -> assertEquals("hello", get(url, "hello.txt")));
      await()
          .atMost(Duration.ofSeconds(120))
          .ignoreExceptionsInstanceOf(IOException.class)
          .untilAsserted(() -> assertEquals(300_000, get(url, "large").length()));
      assertFalse(log().contains("[ERROR]"), log());

      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertEquals("sws-core: stopping, once pending answers have been sent", rest.get(0));
      assertTrue(rest.get(1).startsWith("sws-core: connections: "), rest.get(1));
      assertTrue(rest.get(2).startsWith("core "), "no table of cores in " + rest);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      for (Socket client : crowd) {
        client.close();
      }
      process.destroyForcibly();
    }
  }

  /** Over a connection that ends. */
  private static String get(URI url, String path) throws Exception {
    try (Socket client = new Socket("127.0.0.1", url.getPort())) {
      client.setSoTimeout(120_000);
      String request = "GET /" + path + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
      client.getOutputStream().write(request.getBytes());
      String response = new String(client.getInputStream().readAllBytes());
      assertTrue(response.startsWith("HTTP/1.1 200 OK\r\n"), response);
      return response.substring(response.indexOf("\r\n\r\n") + 4);
    }
  }

  private Process start(String... options) throws Exception {
    String classPath =
        Arrays.stream(Programs.classPath().split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("netty"))
            .filter(entry -> !entry.contains("mely-netty"))
            .collect(Collectors.joining(File.pathSeparator));
    assertTrue(classPath.length() < Programs.classPath().length());
    List<String> command =
        Programs.javaWithFewDescriptors(
            DESCRIPTORS,
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            classPath,
            Loaded.class.getName(),
            SwsCoreAlone.class.getName(),
            "--port=0",
            "--cores=2");
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
  }

  private String log() throws Exception {
    return Files.readString(folder.resolve("err"));
  }
}
