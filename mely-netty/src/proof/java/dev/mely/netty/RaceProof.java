package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kit.Mutant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the {@code *Race} classes beside this one under jcstress: over the module as it is, where no
 * forbidden outcome may show, and each over its broken twin, where one must.
 *
 * <p>{@code -Dmely.races.long=true} compiles the two sides of a race in all combinations, and runs
 * them longer.
 */
class RaceProof {
  private static final boolean LONG = Boolean.getBoolean("mely.races.long");
  private static final int RACES = 4;
  private static final int MAX_MILLIS = 1_000;
  private static final Path OUTPUT = Path.of("target", "races");

  /** Prepended: jcstress goes on to add its own modes, the compilers and their randomizers. */
  private static final List<String> ALL_JVMS = List.of("-jvmArgsPrepend", "-Xshare:auto");

  private static final List<String> ONE_JVM = List.of("-jvmArgs", "-XX:-TieredCompilation");

  /** A bug, and the race in which it must show. */
  record Twin(String race, Mutant mutant) {
    Twin(String race, String name, String file, String original, String replacement) {
      this(race, new Mutant(name, file, original, replacement));
    }

    @Override
    public String toString() {
      return race + ": " + mutant;
    }
  }

  static Stream<Twin> twins() {
    return Stream.of(
        new Twin(
            "SectionRace",
            "the section is left with release, not volatile",
            "PollSection.java",
            "      owner = null;\n",
            "      OWNER.setRelease(this, (Thread) null);\n"),
        new Twin(
            "HandOverRace",
            "whoever enters looks, then writes",
            "PollSection.java",
            "        && OWNER.compareAndSet(this, (Thread) null, self);",
            "        && enterAs(self);\n  }\n\n"
                + "  private boolean enterAs(Thread self) {\n"
                + "    owner = self;\n    return true;"),
        new Twin(
            "WakeupRace",
            "the wish is published with a plain store",
            "IoPoller.java",
            "private volatile boolean wakeupWanted;",
            "private boolean wakeupWanted;"),
        new Twin(
            "MaskRace",
            "masking and arming do not exclude each other",
            "Readiness.java",
            "  void mask() {\n    synchronized (this) {",
            "  void mask() {\n    synchronized (new Object()) {"));
  }

  @Test
  void noForbiddenOutcomeShows() throws Exception {
    List<String> effort =
        LONG
            ? List.of("-time", "500", "-iters", "5")
            : List.of("-time", "50", "-iters", "2", "-sc", "false", "-fsm", "2");
    String report = run(System.getProperty("java.class.path"), ".*", ALL_JVMS, effort);
    assertEquals(0, count("Failed tests", report), report);
    assertEquals(0, count("Error tests", report), report);
    assertEquals(RACES, count("All remaining tests", report), report);
  }

  @ParameterizedTest
  @MethodSource("twins")
  void brokenTwinShowsIt(Twin twin, @TempDir Path scratch) throws Exception {
    twin.mutant().compile(scratch);
    String classPath = scratch + File.pathSeparator + System.getProperty("java.class.path");
    StringBuilder reports = new StringBuilder();
    boolean shown = false;
    // One outcome is enough: first with one compiler, then with all that the sound races have to
    // bear. On a busy machine two threads seldom meet, so try longer each time.
    for (int millis = 50; !shown && millis <= MAX_MILLIS; millis *= 4) {
      for (List<String> jvms : List.of(ONE_JVM, ALL_JVMS)) {
        if (!shown) {
          String time = Integer.toString(millis);
          List<String> effort = List.of("-time", time, "-iters", "3", "-sc", "false", "-fsm", "1");
          String report = run(classPath, twin.race(), jvms, effort);
          shown = report.contains("[FAILED] dev.mely.netty." + twin.race());
          reports.append(report);
        }
      }
    }
    assertTrue(shown, () -> twin + " does not show:\n" + reports);
  }

  /** Runs jcstress and returns what it prints. */
  private static String run(String classPath, String races, List<String> jvms, List<String> effort)
      throws IOException, InterruptedException {
    Files.createDirectories(OUTPUT);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", absolute(classPath), "org.openjdk.jcstress.Main"));
    command.addAll(List.of("-t", "dev\\.mely\\.netty\\." + races, "-r", ".", "-f", "1"));
    command.addAll(jvms);
    command.addAll(effort);
    Process process =
        new ProcessBuilder(command).directory(OUTPUT.toFile()).redirectErrorStream(true).start();
    String report = new String(process.getInputStream().readAllBytes());
    process.waitFor();
    System.out.println(report.substring(Math.max(0, report.indexOf("RUN RESULTS"))));
    return report;
  }

  private static String absolute(String classPath) {
    return Stream.of(classPath.split(File.pathSeparator))
        .map(entry -> Path.of(entry).toAbsolutePath().toString())
        .reduce((a, b) -> a + File.pathSeparator + b)
        .orElseThrow();
  }

  /** How many races a section of the report names. */
  private static int count(String section, String report) {
    Matcher line = Pattern.compile(section + ": (No|\\d+) match").matcher(report);
    if (!line.find()) {
      throw new AssertionError("no line '" + section + "' in\n" + report);
    }
    return line.group(1).equals("No") ? 0 : Integer.parseInt(line.group(1));
  }
}
