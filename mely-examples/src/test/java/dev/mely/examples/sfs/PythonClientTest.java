package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A client in another language, written from mely-examples/sfs.md and the RFCs. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class PythonClientTest {
  private static final Path CLIENT = Path.of("src", "test", "python", "sfs_client.py");

  @TempDir private Path temporary;

  private static String run(String... arguments) throws IOException, InterruptedException {
    assumeTrue(Programs.run("python3", "--version"), "python3 is not installed");
    List<String> command = new ArrayList<>(List.of("python3", CLIENT.toString()));
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertTrue(process.waitFor(120, TimeUnit.SECONDS));
    return said.strip();
  }

  @Test
  void itsCryptographyIsThatOfTheRfcs() throws Exception {
    assertEquals("fine", run("vectors"));
  }

  @Test
  void itAndTheServerUnderstandEachOther() throws Exception {
    Path root = Files.createDirectories(temporary.resolve("root"));
    Path many = Files.createDirectories(root.resolve("many"));
    for (int i = 0; i < 700; i++) {
      Files.createFile(many.resolve("n".repeat(100) + i));
    }
    RekeyRule often = new RekeyRule(4, Duration.ofMinutes(1));
    try (SfsSite site = new SfsSite(root, c -> c.rekey(often));
        SfsClient client = site.connect(site.reader)) {
      Path key = temporary.resolve("key");
      site.writer.save(key);
      assertEquals("fine", run("check", site.server.path().toString(), key.toString()));
      SfsClient.RemoteFile kept = client.open("kept", Message.READ);
      assertEquals(150_000, kept.attributes().size(), "what one has written, the other reads");
    }
  }
}
