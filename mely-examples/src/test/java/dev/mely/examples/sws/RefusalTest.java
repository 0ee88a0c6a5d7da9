package dev.mely.examples.sws;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.examples.Programs;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The answers to failures of the file system, with messages in any language. */
@Timeout(300)
class RefusalTest {
  private static final IOException GERMAN =
      new FileSystemException("/f", null, "Zu viele offene Dateien");

  /** Uses up the descriptors of its process. */
  static final class Hungry {
    private Hungry() {}

    public static void main(String[] args) throws IOException {
      Path file = Path.of(System.getProperty("java.home"), "release");
      String before = code(GERMAN); // loads all that is needed afterwards
      List<FileChannel> taken = new ArrayList<>();
      String during = "";
      try {
        while (true) {
          taken.add(FileChannel.open(file));
        }
      } catch (FileSystemException none) {
        during = code(GERMAN);
      }
      for (FileChannel channel : taken) {
        channel.close();
      }
      System.out.println(before + " " + during + " " + code(GERMAN));
    }

    private static String code(IOException failure) {
      return String.valueOf(Refusal.of(failure).code());
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aShortageIsOneInAnyLanguage() throws Exception {
    Process process =
        new ProcessBuilder(
                Programs.javaWithFewDescriptors(
                    200, "-cp", Programs.classPath(), Hungry.class.getName()))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertEquals("404 503 404", new String(process.getInputStream().readAllBytes(), UTF_8).strip());
    assertEquals(0, process.waitFor());
  }

  /** The client chooses it. */
  @ParameterizedTest
  @ValueSource(strings = {"too many open files", "Too many open files in system"})
  void aNameIsNoShortage(String name) {
    String path = Path.of("/", name).toString();
    assertEquals(404, Refusal.of(new NoSuchFileException(path)).code());
    assertEquals(404, Refusal.of(new FileSystemException(path, null, "Not a directory")).code());
    assertEquals(503, Refusal.of(new FileSystemException("/f", null, name)).code());
  }
}
