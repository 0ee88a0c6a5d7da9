package dev.mely.examples.sws;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.topology.AllowedCpus;
import dev.mely.topology.Pinning;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The executable jar, as it is shipped. */
class SwsJarIT {
  @TempDir private Path folder;

  private Process start(String program, String... options) throws Exception {
    List<String> command =
        Programs.javaWithFewDescriptors(
            64,
            "-Xmx128m",
            "-jar",
            Path.of("target", "mely-examples.jar").toAbsolutePath().toString(),
            program,
            "--port=0");
    command.addAll(List.of(options));
    return new ProcessBuilder(command).redirectError(folder.resolve("err").toFile()).start();
  }

  /** Perhaps its first line of all: what prints it must not need a descriptor itself. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void saysThatItIsOutOfDescriptors() throws Exception {
    Path root = Files.createDirectory(folder.resolve("root"));
    Files.writeString(root.resolve("file.txt"), "fine");
    Process process = start("sws", "--root=" + root, "--cores=1");
    List<Socket> clients = new ArrayList<>();
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      int port = Integer.parseInt(line.replaceFirst(".*127\\.0\\.0\\.1:(\\d+)/.*", "$1"));
      long start = System.nanoTime();
      for (int i = 0; i < 60; i++) {
        clients.add(new Socket("127.0.0.1", port));
      }
      await()
          .atMost(Duration.ofSeconds(120))
          .untilAsserted(
              () -> assertTrue(log().contains("[WARN] AcceptTrouble - cannot accept"), log()));
      assertTrue(log().contains("Too many open files"), log());
      long said = log().lines().filter(text -> text.contains("AcceptTrouble")).count();
      long seconds = (System.nanoTime() - start) / 1_000_000_000;
      assertTrue(said <= 1 + seconds, "with each try, one a second: " + log());
      process.toHandle().destroy();
      assertTrue(process.waitFor(120, TimeUnit.SECONDS), "ends, clients or not");
      assertEquals(143, process.exitValue());
    } finally {
      for (Socket client : clients) {
        client.close();
      }
      process.destroyForcibly();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void wrongOptionsAreOneLine() throws Exception {
    for (String option : List.of("--prebuilt-mib=999999999", "--root=")) {
      Process process = start("sws", option);
      try {
        assertTrue(process.waitFor(120, TimeUnit.SECONDS));
        assertEquals(2, process.exitValue(), log());
        assertEquals(2, log().lines().count(), log());
      } finally {
        process.destroyForcibly();
      }
    }
  }

  /** The library that pins, which the runtime leaves to programs, is in the jar, and is silent. */
  @Test
  @EnabledOnOs(OS.LINUX)
  void theWorkersOfSwsCoreArePinned() throws Exception {
    assumeTrue(AllowedCpus.system().count() > 1, "needs two CPUs");
    assumeTrue(Pinning.objection(AllowedCpus.system()).isEmpty(), "pinning is not advisable here");
    Process process = start("sws-core", "--root=" + folder, "--cores=1");
    try (BufferedReader out = process.inputReader()) {
      assertNotNull(out.readLine());
      await().until(() -> hasPinnedThread(process.pid()));
      assertFalse(log().contains("SLF4J"), log());
    } finally {
      process.destroyForcibly();
    }
  }

  /** Whether a thread of a process may use one CPU only. */
  private static boolean hasPinnedThread(long pid) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc", Long.toString(pid), "task"))) {
      return threads.anyMatch(
          thread -> read(thread).matches("(?s).*Cpus_allowed_list:[^-,]*Mems.*"));
    }
  }

  /** The status of a thread; empty if it has ended. */
  private static String read(Path thread) {
    try {
      return Files.readString(thread.resolve("status"));
    } catch (IOException e) {
      return "";
    }
  }

  private String log() throws Exception {
    return Files.readString(folder.resolve("err"));
  }
}
