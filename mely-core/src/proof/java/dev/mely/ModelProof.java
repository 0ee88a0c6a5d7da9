package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the Spin models in {@code src/proof/spin} and their planted bugs. {@code
 * -Dmely.model.long=true} adds larger models.
 */
class ModelProof {
  private static final Path CHECK = Path.of("src", "proof", "spin", "check").toAbsolutePath();

  @Test
  void modelsHoldAndPlantedBugsAreFound() throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", CHECK.toString()));
    if (Boolean.getBoolean("mely.model.long")) {
      command.add("--long");
    }
    Process check = new ProcessBuilder(command).redirectErrorStream(true).start();
    check.inputReader().lines().forEach(System.out::println);
    assertEquals(0, check.waitFor(), "see above: a model or a planted bug, or a missing tool");
  }

  @Test
  void missingToolIsNamed(@TempDir Path empty) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder("/bin/bash", CHECK.toString());
    builder.environment().put("PATH", empty.toString());
    Process check = builder.redirectErrorStream(true).start();
    String message = new String(check.getInputStream().readAllBytes());
    assertEquals(2, check.waitFor(), message);
    assertTrue(message.contains("apt-get install spin"), message);
  }
}
