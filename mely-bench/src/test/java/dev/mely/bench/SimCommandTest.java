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

  private static final String SWEPT = "simulated-exp-even-on-xeon-e5410-2x4-";

  /** What the sweep has left, and what it has said: one sweep for all that look at it. */
  @TempDir private static Path once;

  private static String said;

  @TempDir private Path directory;

  @BeforeAll
  static void sweep() {
    said = run(SWEEP + " --out " + once);
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
    String again = run(SWEEP + " --out " + directory);
    assertEquals(said.replace(once.toString(), directory.toString()), again);
    try (var files = Files.list(once)) {
      List<Path> written = files.toList();
      for (Path file : written) {
        byte[] bytes = Files.readAllBytes(directory.resolve(file.getFileName()));
        assertArrayEquals(Files.readAllBytes(file), bytes, file.toString());
      }
      assertEquals(6, written.size(), "figures and a picture, twice, for each load: " + written);
    }
  }

  @Test
  void anotherSeedGivesOtherFigures() {
    String line =
        "sim --machine xeon-e5410-2x4 --workload exp-even --configuration mely --cores 2"
            + " --load 0.5 --events 1000 --out "
            + directory;
    assertNotEquals(run(line + " --seed 3"), run(line + " --seed 4"));
  }

  @Test
  void everythingSaysThatItIsSimulated() throws Exception {
    assertTrue(said.contains("Simulated, not measured: exp-even on xeon-e5410-2x4 load 0.5"), said);
    assertTrue(said.contains("| simulated "), said);
    assertEquals(true, figures("load-0.7").environment().get("simulated"));
    assertEquals("simulated exp-even on xeon-e5410-2x4 load 0.7", figures("load-0.7").title());
    ReportCommandTest.assertDrawn(once.resolve(SWEPT + "load-0.5.png"));
  }

  /** All combinations, and three bounds for each load and number of cores. */
  @Test
  void runsAllCombinations() throws Exception {
    List<String> contenders = figures("load-0.5").contenders();
    assertEquals(2 * (3 + 3), contenders.size());
    assertEquals(contenders, figures("load-0.7").contenders());
    assertTrue(contenders.contains("4 cores bound: FCFS"), contenders::toString);
    double slow = figures("load-0.7").median("4 cores mely", "p99Micros");
    assertTrue(slow > figures("load-0.5").median("4 cores mely", "p99Micros"));
  }

  /** Of one number of cores, loads stand beside each other; of several seeds, the median. */
  @Test
  void sweepsLoadsOfOneNumberOfCores() throws Exception {
    run(
        "sim --machine one-cache --workload exp-even --configuration mely --cores 2"
            + " --load 0.5,0.7 --seed 1,2,3 --events 1000 --out "
            + directory);
    Path file = directory.resolve("simulated-exp-even-on-one-cache-2-cores.json");
    Results results = Results.fromJson(Files.readString(file));
    assertEquals(3, results.figure("0.5 load mely", "p99Micros").length);
    assertTrue(results.contenders().contains("0.7 load static partition"));
    assertTrue(Files.exists(directory.resolve("simulated-exp-even-on-one-cache-2-cores.svg")));
  }

  private static Results figures(String load) throws IOException {
    return Results.fromJson(Files.readString(once.resolve(SWEPT + load + ".json")));
  }

  @Test
  void takesCostsFromAFile() throws Exception {
    String line =
        "sim --machine one-cache --cores 2 --events 2000 --configuration mely --out " + directory;
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
        "--cores 129|--cores must be between 0 and 128, but is 129",
        "--cores -1|--cores must be between 0 and 128, but is -1",
        "--machine xeon-e5410-2x4 --cores 9|the machine has 8 CPUs, but 9 are requested",
        "--workload exp-even --load 1|load must be between 0 and 1, but is 1.0",
        "--costs missing.json|--costs: cannot read missing.json",
        "--workload unbalanced,none|unknown workload 'none'",
        "--configuration mely,melee|unknown configuration 'melee'",
        "calibrate --samples 0|--samples must be between 1 and 1000, but is 0",
        "validate --samples 0|--samples must be between 1 and 1000, but is 0",
        "validate --seconds 0|--seconds must be between 0.1 and 3600 seconds, but is 0",
        "validate --cores 0|--cores must be between 1 and",
        "validate --configuration melee|unknown configuration 'melee'",
        "validate --costs missing.json|--costs: cannot read missing.json",
        "--workload sws --clients -1|--clients must be between 0 and 1000000, but is -1",
        "--events 0|--events must be between 1 and 2147483647, but is 0",
      })
  void misuse(String arguments, String message) {
    StringWriter err = new StringWriter();
    String line = "sim --out " + directory + " " + arguments;
    assertEquals(2, Main.run(new PrintWriter(err, true), line.split(" ")), err::toString);
    assertTrue(err.toString().contains(message), err::toString);
  }

  /** Runs may take long: what cannot be written afterwards is said before. */
  @Test
  void asksFirstWhetherTheOutcomeCanBeWritten() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    Path costs = Files.writeString(directory.resolve("costs"), "{\"register\": -1}");
    for (String arguments : List.of("--out " + file, "--costs " + costs)) {
      StringWriter err = new StringWriter();
      String[] line = ("sim --events 1 --machine one-cache --cores 2 " + arguments).split(" ");
      assertEquals(2, Main.run(new PrintWriter(err, true), line), err::toString);
      String named = arguments.substring(arguments.indexOf(' ') + 1);
      assertTrue(err.toString().contains(named), err::toString);
    }
  }
}
