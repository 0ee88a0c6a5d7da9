package dev.mely.bench.micro;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.mely.bench.Main;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A second run at the same time gets a message, not a stack trace. The lock is in a folder of its
 * own.
 */
@Timeout(300)
class JmhLockTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"micro --benchmark hotColor", "unbalanced"})
  void saysWhatToDoBesideAnotherRun(String command) throws Exception {
    Path file = directory.resolve("jmh.lock");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      assertNotNull(lock);
      Process process = start(command + " --quick --configurations mely --cores 1 --unpinned");
      String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(1, process.waitFor(), err);
      List<String> said = err.lines().toList(); // a JDK's warnings come first, and how far it is
      assertEquals(
          "another JMH run has the lock "
              + file
              + ": wait until it has ended, or measure in parallel with"
              + " 'java -Djmh.ignoreLock=true -jar'",
          said.get(said.size() - 1));
      assertFalse(err.contains("Exception"), err);
    }
  }

  private Process start(String line) throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Djava.io.tmpdir=" + directory,
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName()));
    command.addAll(List.of(line.split(" ")));
    return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
  }
}
