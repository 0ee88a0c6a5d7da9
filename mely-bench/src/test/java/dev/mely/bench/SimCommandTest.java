package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command {@code sim}, as a user runs it. */
@Timeout(300)
class SimCommandTest {
  private static final String SWEEP =
      "sim --machine xeon-e5410-2x4 --workload exp-even --configuration mely,mely-all,libasync-ws"
          + " --cores 2,4 --load 0.5,0.7 --events 1000 --seed 3";

  /** What the sweep has left, and what it has said: one sweep for all that look at it. */
  @TempDir private static Path once;

  private static String said;

  @TempDir private Path directory;

  @BeforeAll
  static void sweep() {
    said = run(SWEEP + " --json " + once.resolve("x.json") + " --pictures " + once);
  }

  private static String run(String line) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    StringWriter err = new StringWriter();
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      assertEquals(0, Main.run(new PrintWriter(err, true), line.split(" ")), err::toString);
    } finally {
      System.setOut(before);
    }
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void theSameCommandGivesTheSameBytes() throws Exception {
    String again =
        run(SWEEP + " --json " + directory.resolve("x.json") + " --pictures " + directory);
    assertEquals(said.replace(once.toString(), directory.toString()), again);
    try (var files = Files.list(once)) {
      List<Path> written = files.toList();
      for (Path file : written) {
        byte[] bytes = Files.readAllBytes(directory.resolve(file.getFileName()));
        assertArrayEquals(Files.readAllBytes(file), bytes, file.toString());
      }
      assertEquals(
          9, written.size(), "figures, two pictures by cores and two by load, twice: " + written);
    }
  }

  @Test
  void anotherSeedGivesOtherFigures() {
    String line =
        "sim --machine xeon-e5410-2x4 --workload exp-even --configuration mely --cores 2"
            + " --load 0.5 --events 1000 --json "
            + directory.resolve("x.json");
    assertNotEquals(run(line + " --seed 3"), run(line + " --seed 4"));
  }

  @Test
  void everythingSaysThatItIsSimulated() throws Exception {
    assertTrue(said.contains("Simulated, not measured: exp-even on xeon-e5410-2x4"), said);
    assertTrue(said.contains("| simulated "), said);
    Map<?, ?> all = figures();
    assertEquals(true, all.get("simulated"));
    for (String picture : new String[] {"load-0.5-cores", "2-cores-load"}) {
      String name = "sim-exp-even-xeon-e5410-2x4-" + picture;
      ReportCommandTest.assertDrawn(once.resolve(name + ".png"));
    }
  }

  /** All combinations, and three bounds for each load and number of cores. */
  @Test
  void runsAllCombinations() throws Exception {
    Map<?, ?> all = figures();
    assertEquals(2 * 2 * (3 + 3), ((List<?>) Objects.requireNonNull(all.get("runs"))).size());
  }

  private static Map<?, ?> figures() throws IOException {
    Path json = once.resolve("x.json");
    return (Map<?, ?>) Objects.requireNonNull(Json.read(Files.readString(json)));
  }

  @Test
  void takesCostsFromAFile() throws Exception {
    String line =
        "sim --machine one-cache --cores 2 --events 2000 --configuration mely --json "
            + directory.resolve("x.json");
    String before = run(line);
    Path costs = directory.resolve("costs.json");
    Files.writeString(costs, dearer());
    assertFalse(run(line + " --costs " + costs).equals(before));
  }

  /** Each step costs a microsecond. */
  private static String dearer() {
    StringBuilder text =
        new StringBuilder(
            "{\"lines\": [0, 1, 1, 1, 1, 1], \"wakeDelays\": [], \"interruptions\": []");
    String names =
        "register append pick run finish weighEvent weighTurn look claim park wake poll lock guarded"
            + " listRegister listRun colorQueue flatSteal listSteal scan eventLines wakeCall wakeDelay"
            + " inner betweenInterruptions shared memory innerBytes sharedBytes";
    for (String name : names.split(" ")) {
      text.append(", \"").append(name).append("\": 1000");
    }
    return text.append('}').toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--machine pdp11|unknown machine 'pdp11'; known: here, one-cache, many-caches,"
            + " xeon-e5410-2x4",
        "--workload none|unknown workload 'none'; known: unbalanced, penalty,",
        "--configuration melee|unknown configuration 'melee'; known: libasync,",
        "--cores 129|--cores must be between 1 and 128, but is 129",
        "--cores -1|--cores must be between 1 and 128, but is -1",
        "--machine xeon-e5410-2x4 --cores 9|the machine has 8 CPUs, but 9 are asked for",
        "--workload exp-even --load 1|load must be between 0 and 1, but is 1.0",
        "--costs missing.json|--costs: cannot read missing.json",
        "--workload unbalanced,none|unknown workload 'none'",
        "--configuration mely,melee|unknown configuration 'melee'",
        "calibrate --samples 0|--samples must be between 1 and 1000, but is 0",
        "validate --samples 0|--samples must be 1 or more, but is 0",
        "validate --seconds 0|--seconds must be more than 0, but is 0",
        "validate --cores 0|--cores must be between 1 and",
        "validate --configuration melee|unknown configuration 'melee'",
        "validate --costs missing.json|--costs: cannot read missing.json",
        "--workload sws --clients -1|--clients must be 1 or more, but is -1",
        "--events 0|--events must be 1 or more, but is 0",
      })
  void misuse(String arguments, String message) {
    StringWriter err = new StringWriter();
    String line = "sim --json " + directory.resolve("x.json") + " " + arguments;
    assertEquals(2, Main.run(new PrintWriter(err, true), line.split(" ")), err::toString);
    assertTrue(err.toString().contains(message), err::toString);
  }

  /** Runs may take long: what cannot be written afterwards is said before. */
  @Test
  void asksFirstWhetherTheOutcomeCanBeWritten() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    Path costs = Files.writeString(directory.resolve("costs"), "{\"register\": -1}");
    for (String arguments :
        List.of(
            "--json " + file.resolve("x.json"),
            "--json " + directory,
            "--pictures " + file,
            "--costs " + costs)) {
      StringWriter err = new StringWriter();
      String[] line = ("sim --events 1 --machine one-cache --cores 2 " + arguments).split(" ");
      assertEquals(2, Main.run(new PrintWriter(err, true), line), err::toString);
      String named = arguments.substring(arguments.indexOf(' ') + 1).replace("/x.json", "");
      assertTrue(err.toString().contains(named), err::toString);
    }
  }
}
