package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.kit.Mutant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs the {@code *Race} classes beside this one under jcstress: over the runtime as it is, where
 * no forbidden outcome may show, and each over its broken twin, where one must.
 *
 * <p>{@code -Dmely.races.long=true} runs the sound races in all virtual machines that jcstress
 * knows, compiles the two sides of a race in all combinations, and runs them longer.
 */
class RaceProof {
  private static final boolean LONG = Boolean.getBoolean("mely.races.long");
  private static final int RACES = 18;
  private static final int MAX_MILLIS = 1_000;
  private static final Path OUTPUT = Path.of("target", "races");

  /** Prepended: jcstress goes on to add its own modes, the compilers and their randomizers. */
  private static final List<String> ALL_JVMS = List.of("-jvmArgsPrepend", "-Xshare:auto");

  private static final List<String> ONE_JVM = List.of("-jvmArgs", "-XX:-TieredCompilation");

  /** The second compiler, and the same with its decisions drawn at random. */
  private static final List<List<String>> FEW_JVMS =
      List.of(
          ONE_JVM,
          List.of(
              "-jvmArgs",
              "-XX:-TieredCompilation -XX:+UnlockDiagnosticVMOptions -XX:+StressLCM"
                  + " -XX:+StressGCM -XX:+StressIGVN -XX:+StressCCP"));

  private static final String CLAIM = "return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)";

  /** A bug in the runtime, and the races in which it must show. */
  record Twin(List<String> races, Mutant mutant) {
    Twin(String races, String name, String file, String original, String replacement) {
      this(List.of(races.split(" ")), new Mutant(name, file, original, replacement));
    }

    @Override
    public String toString() {
      return String.join(", ", races) + ": " + mutant;
    }
  }

  static Stream<Twin> twins() {
    return Stream.of(
        new Twin(
            "StealRace",
            "a thief claims a color that is still running",
            "Color.java",
            CLAIM,
            "return (s & STATE_MASK) != IDLE && s >>> CORE_SHIFT == from"),
        new Twin(
            "ClaimRace",
            "a claim looks, then writes",
            "Color.java",
            "    return (s & ~PINNED) == ((from << CORE_SHIFT) | QUEUED)\n"
                + "        && STATE.compareAndSet(this, s, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);",
            "    if ((s & ~PINNED) != ((from << CORE_SHIFT) | QUEUED)) { return false; }\n"
                + "    STATE.setVolatile(this, (to << CORE_SHIFT) | (s & PINNED) | RUNNING);\n"
                + "    return true;"),
        new Twin(
            "MailboxRace",
            "the runner reads the tail, then empties it",
            "Mailbox.java",
            "Event youngest = (Event) TAIL.getAndSet(this, this);",
            "Event youngest = (Event) TAIL.getVolatile(this); TAIL.setVolatile(this, this);"),
        new Twin(
            "ReleaseRace",
            "a release looks, then writes",
            "Color.java",
            "if (TAIL.compareAndSet(this, this, null)) {",
            "if (TAIL.getVolatile(this) == this && TAIL.getAndSet(this, null) != NEXT) {"),
        new Twin(
            "AppendRace",
            "a handler's own event does not look at other producers",
            "Mailbox.java",
            "    if (TAIL.getAcquire(this) != this) {\n      return false;\n    }\n",
            ""),
        new Twin(
            "ParkRace TimerRace",
            "parked is published with release, not volatile, and without the fence of the count",
            "IdleCores.java",
            "    core.parked.setVolatile(Core.PARKED);\n    idle.getAndAdd(1);\n",
            "    core.parked.setRelease(Core.PARKED);\n"),
        new Twin(
            "RoomRace",
            "a producer counts itself among those that wait, and does not look again",
            "Overload.java",
            "        full = tryOrWait(self);\n        if (full == null) {\n          return \"\";\n"
                + "        }\n        wakeNext(self);\n        self.parker.park();\n",
            "        self.parker.park();\n        full = tryOrWait(self);\n"
                + "        if (full == null) {\n          return \"\";\n        }\n"),
        new Twin(
            "LeaveRace",
            "a reader that leaves does not look whether others are being let in",
            "Color.java",
            "boolean last = (s & STATE_MASK) == SHARED && readers(s) == 1;",
            "boolean last = readers(s) == 1;"),
        new Twin(
            "HoldRace",
            "an idle color is looked at, then taken",
            "Color.java",
            "    if (!TAIL.compareAndSet(this, null, this)) {\n      return false;\n    }\n    hold();",
            "    if (TAIL.getVolatile(this) != null) {\n      return false;\n    }\n"
                + "    TAIL.setVolatile(this, this);\n    hold();"),
        new Twin(
            "PauseRace",
            "a worker parks a paused color and does not look again",
            "Pauses.java",
            "    if (!isPaused(color)) {\n      release(color); // resumed meanwhile\n    }\n",
            ""),
        new Twin(
            "CancelRace",
            "a timer looks at its state, then writes",
            "TimerEvent.java",
            "return STATE.compareAndSet(this, REGISTERED, RUNNING) ? event : null;",
            "if ((int) STATE.getVolatile(this) != REGISTERED) { return null; }\n"
                + "    STATE.setVolatile(this, RUNNING);\n"
                + "    return event;"),
        new Twin(
            "nio.WakeRace",
            "the poller looks at the wish, then says who waits",
            "nio/SelectorPoller.java",
            "    waiter = self;\n    try {\n      select(wanted.get() ? 0 : maxWaitNanos);",
            "    boolean wish = wanted.get();\n    waiter = self;\n    try {\n"
                + "      select(wish ? 0 : maxWaitNanos);"),
        new Twin(
            "nio.LandRace",
            "an event lands, looks at ACTIVE, and clears IN_FLIGHT then",
            "nio/SourceState.java",
            "return clear(IN_FLIGHT) == (ACTIVE | IN_FLIGHT);",
            "return isActive() & clear(IN_FLIGHT) >= IN_FLIGHT;"),
        new Twin(
            "nio.TakeOffRace",
            "who finds something looks whether the source is armed, then writes",
            "nio/SourceState.java",
            "return STATE.compareAndSet(this, ACTIVE, ACTIVE | IN_FLIGHT);",
            "return (int) STATE.getVolatile(this) == ACTIVE & set(IN_FLIGHT) != 0;"),
        new Twin(
            "nio.ResultRace",
            "a cancel looks whether the operation runs, then writes",
            "nio/Outcome.java",
            "    return STATE.compareAndSet(this, RUNNING, CANCELLED)\n",
            "    if ((int) STATE.getVolatile(this) == RUNNING) {\n"
                + "      STATE.setVolatile(this, CANCELLED);\n      return true;\n    }\n"
                + "    return false\n"),
        new Twin(
            "nio.DeliverRace",
            "a cancel looks whether the operation has ended, then writes",
            "nio/Outcome.java",
            "    return STATE.compareAndSet(this, ENDED, CANCELLED);",
            "    if ((int) STATE.getVolatile(this) != ENDED) {\n      return false;\n    }\n"
                + "    STATE.setVolatile(this, CANCELLED);\n    return true;"),
        new Twin(
            "nio.EndRace",
            "who ends an operation looks whether it runs, then writes",
            "nio/Outcome.java",
            "    if (!STATE.compareAndSet(this, RUNNING, ENDING)) {\n",
            "    if ((int) STATE.getVolatile(this) != RUNNING\n"
                + "        || (int) STATE.getAndSet(this, ENDING) > CANCELLED) {\n"));
  }

  @Test
  void noForbiddenOutcomeShows() throws Exception {
    List<String> effort =
        LONG
            ? List.of("-time", "500", "-iters", "5")
            : List.of("-time", "50", "-iters", "4", "-sc", "false", "-fsm", "1");
    for (List<String> jvms : LONG ? List.of(ALL_JVMS) : FEW_JVMS) {
      String report = run(System.getProperty("java.class.path"), ".*", jvms, effort);
      assertEquals(0, count("Failed tests", report), report);
      assertEquals(0, count("Error tests", report), report);
      assertEquals(RACES, count("All remaining tests", report), report);
    }
  }

  @ParameterizedTest
  @MethodSource("twins")
  void brokenTwinShowsIt(Twin twin, @TempDir Path scratch) throws Exception {
    String file = twin.mutant().file();
    twin.mutant().load(file.substring(file.indexOf('/') + 1, file.indexOf('.')), scratch);
    String classPath = scratch + File.pathSeparator + System.getProperty("java.class.path");
    Set<String> missing = new TreeSet<>(twin.races());
    StringBuilder reports = new StringBuilder();
    // One outcome is enough: first with one compiler, then with all that the sound races have to
    // bear. On a busy machine two threads seldom meet, so try longer each time.
    for (int millis = 50; !missing.isEmpty() && millis <= MAX_MILLIS; millis *= 4) {
      for (List<String> jvms : List.of(ONE_JVM, ALL_JVMS)) {
        if (!missing.isEmpty()) {
          String time = Integer.toString(millis);
          List<String> effort = List.of("-time", time, "-iters", "3", "-sc", "false", "-fsm", "1");
          String report = run(classPath, "(" + String.join("|", missing) + ")", jvms, effort);
          missing.removeIf(race -> report.contains("[FAILED] dev.mely." + race));
          reports.append(report);
        }
      }
    }
    assertEquals(Set.of(), missing, () -> twin + " does not show:\n" + reports);
  }

  /** Runs jcstress and returns what it prints. */
  private static String run(String classPath, String races, List<String> jvms, List<String> effort)
      throws IOException, InterruptedException {
    Files.createDirectories(OUTPUT);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", absolute(classPath), "org.openjdk.jcstress.Main"));
    command.addAll(List.of("-t", "dev\\.mely\\." + races, "-r", ".", "-f", "1"));
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
