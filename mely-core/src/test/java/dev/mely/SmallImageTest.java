package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The runtime in an image without the flight recorder and without management. */
@Timeout(300)
class SmallImageTest {
  /** The image's program: steals, parks, moves and times, which is where events are recorded. */
  public static final class Program {
    private Program() {}

    public static void main(String[] args) throws Exception {
      boolean recorder = ModuleLayer.boot().findModule("jdk.jfr").isPresent();
      boolean management = ModuleLayer.boot().findModule("java.management").isPresent();
      CountDownLatch ran = new CountDownLatch(5_000);
      try (Mely mely = Mely.builder().cores(2).pinned(false).randomMigration(3).build()) {
        for (int i = 0; i < 5_000; i++) {
          mely.execute(mely.newColor(0), ran::countDown);
        }
        ran.await(120, TimeUnit.SECONDS);
        mely.newColor(0).moveTo(1);
        mely.inspect().dump();
      }
      System.out.println(recorder + " " + management + " " + ran.getCount());
    }
  }

  @Test
  void runsWithoutTheOptionalModules() throws Exception {
    assertEquals("false false 0", run("java.base,java.logging,jdk.unsupported"));
  }

  /** The same program notices the modules where they are: the test above means something. */
  @Test
  void runsWithThem() throws Exception {
    assertEquals(
        "true true 0", run("java.base,java.logging,jdk.unsupported,jdk.jfr,java.management"));
  }

  private static String run(String modules) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "--limit-modules",
                modules,
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName())
            .redirectErrorStream(true)
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    assertTrue(process.waitFor(120, TimeUnit.SECONDS), output);
    assertEquals(0, process.exitValue(), output);
    return output.substring(output.lastIndexOf('\n') + 1);
  }
}
