package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of the package {@code runtime}: they measure, and leave what report can read. */
@Timeout(300)
class RuntimeCommandsTest {
  @TempDir private Path directory;

  private Results run(String line) throws Exception {
    Path file = directory.resolve("some.json");
    StringWriter err = new StringWriter();
    PrintWriter to = new PrintWriter(err, true);
    assertEquals(0, Main.run(to, (line + " --json " + file).split(" ")), err::toString);
    assertEquals(0, Main.run(to, "report", file.toString()), err::toString);
    Results results = Results.fromJson(Files.readString(file));
    ReportCommandTest.assertDrawn(directory.resolve(results.fileName() + ".png"));
    return results;
  }

  @Test
  void orderComparesWithRotation() throws Exception {
    Results order = run("order --samples 2 --seconds 0.1 --load 0.5");
    assertEquals(List.of("rotation", "cheapest-first"), order.contenders());
    assertEquals(Map.of("rotation", "rotation", "cheapest-first", "rotation"), order.references());
    assertEquals(2, order.figure("cheapest-first", "heavyP99Millis").length);
    assertTrue(order.ratio("cheapest-first").min() > 0);
    assertEquals(0.5, order.environment().get("load"));
  }

  @Test
  void idleLooksForAsLongAsItIsTold() throws Exception {
    Results idle = run("idle --seconds 0.1");
    assertEquals(0.1, idle.median("mely", "seconds"));
    assertTrue(Double.isFinite(idle.median("mely", idle.score().figure())));
  }

  /** A decimal comma, or a file named with a dotless i, could not be read elsewhere. */
  @Test
  void figuresAreTheSameInEachLocale() throws Exception {
    Path file = directory.resolve("idle.json");
    ProcessBuilder program =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-Duser.language=tr",
            "-Duser.country=TR",
            "-cp",
            System.getProperty("java.class.path"),
            Main.class.getName(),
            "idle",
            "--seconds=0.1",
            "--json=" + file);
    program.environment().put("LC_ALL", "C");
    Process process = program.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    assertTrue(Pattern.compile("idle for 0 s: \\d+\\.\\d\\d %").matcher(said).find(), said);
    assertEquals(0.1, Results.fromJson(Files.readString(file)).median("mely", "seconds"));
  }

  @Test
  void blockedReportsEachRound() throws Exception {
    Results blocked = run("blocked --rounds 1");
    assertTrue(blocked.median("mely", "reports") >= 1);
    assertTrue(blocked.median("mely", "events") > 0);
    assertTrue(blocked.median("mely", "lateP99Millis") <= blocked.median("mely", "lateMaxMillis"));
    assertEquals(
        blocked.median("mely", "lateMaxMillis"), blocked.median("mely", "firstMaxMillis"), 1e-9);
  }
}
