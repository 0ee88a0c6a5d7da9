package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.baseline.VirtualThreads;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each consumer handles a small topic; the command itself checks what, and in which order. */
@Timeout(value = 1800, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class KafkaCommandTest {
  private static final int RECORDS = 2_000;

  @TempDir private Path directory;

  private int run(StringWriter err, String line) {
    return Main.run(new PrintWriter(err, true), line.split(" "));
  }

  private Results run(String line) throws Exception {
    Path file = directory.resolve("some.json");
    StringWriter err = new StringWriter();
    String more = " --rounds 1 --key-count 50 --jvm-arg=-Xmx256m --limit 600 --json " + file;
    assertEquals(0, run(err, "kafka --records " + RECORDS + more + line), err::toString);
    return Results.fromJson(Files.readString(file));
  }

  private static void assertComplete(Results results, String... contenders) {
    List<String> expected = new ArrayList<>(List.of(contenders));
    if (VirtualThreads.unavailability() != null) {
      expected.remove("virtual-threads");
    }
    assertEquals(expected, results.contenders());
    for (String contender : expected) {
      assertEquals(RECORDS, results.median(contender, "handled"), contender);
      assertEquals(0, results.median(contender, "repeated"), contender);
      assertTrue(results.median(contender, "recordsPerSecond") > 0, contender);
      if (!contender.equals("share-group")) {
        assertEquals(0, results.median(contender, "disordered"), contender);
        assertEquals(RECORDS, results.median(contender, "committed"), contender);
      }
    }
  }

  @Test
  void allConsumersHandleAllRecords() throws Exception {
    Results computing = run(" --work 1us --keys skewed --partitions 2");
    assertComplete(
        computing,
        "mely",
        "plain",
        "plain-partitions",
        "parallel-consumer",
        "virtual-threads",
        "share-group");
    assertEquals("plain", computing.references().get("mely"));
  }

  @Test
  void handlersThatWaitMayBeAsynchronous() throws Exception {
    Results waiting = run(" --work 1ms --keys even --partitions 1 --contenders mely-async,mely");
    assertComplete(waiting, "mely-async", "mely");
    assertEquals("mely-async", waiting.references().get("mely"));
  }

  /** All wait for one handler, which takes longer than the round. */
  @Test
  void aConsumerThatIsTooSlowIsCutOff() throws Exception {
    Path file = directory.resolve("slow.json");
    StringWriter err = new StringWriter();
    String line =
        "kafka --work 9000ms --keys even --partitions 1 --records 10 --contenders plain --rounds 1"
            + " --jvm-arg=-Xmx256m --limit 2 --json ";
    assertEquals(0, run(err, line + file), err::toString);
    Results results = Results.fromJson(Files.readString(file));
    assertEquals(0, results.median("plain", "inTime"));
    assertTrue(results.median("plain", "handled") < 10);
  }

  @Test
  void aHotKeyIsMeasuredBesideTheOthers() throws Exception {
    Path file = directory.resolve("hot.json");
    StringWriter err = new StringWriter();
    String line =
        "kafka-hot-key --rounds 1 --seconds 2 --rate 200 --hot-rate 200 --key-count 10 --work 1us"
            + " --contenders mely --jvm-arg=-Xmx256m --json ";
    assertEquals(0, run(err, line + file), err::toString);
    Results results = Results.fromJson(Files.readString(file));
    assertEquals(List.of("mely", "mely beside a hot key"), results.contenders());
    assertEquals("mely", results.references().get("mely beside a hot key"));
    assertEquals(400, results.median("mely", "handled"));
    assertEquals(800, results.median("mely beside a hot key", "handled"));
    assertTrue(results.median("mely", "p99Micros") > 0);
    assertTrue(results.median("mely beside a hot key", "p99Micros") > 0);
  }

  @Test
  void memoryOfPendingRecordsExceedsThatOfAList() throws Exception {
    Path file = directory.resolve("memory.json");
    StringWriter err = new StringWriter();
    String line = "kafka-memory --records 20000 --rounds 1 --jvm-arg=-Xmx256m --json " + file;
    assertEquals(0, run(err, line), err::toString);
    Results results = Results.fromJson(Files.readString(file));
    assertEquals(List.of("records in a list", "few keys", "a key each"), results.contenders());
    assertTrue(results.ratio("a key each").median() > 1);
  }

  @Test
  void namesWhatIsWrong() {
    StringWriter err = new StringWriter();
    assertEquals(2, run(err, "kafka --work 5s"));
    assertTrue(err.toString().contains("the work '5s' should be"), err::toString);
    assertEquals(2, run(err, "kafka --json some.json"));
    assertTrue(err.toString().contains("--json is for one table"), err::toString);
    assertEquals(2, run(err, "kafka --contenders plain-partitions --partitions 0"));
    assertTrue(err.toString().contains("--partitions must be between"), err::toString);
    assertEquals(2, run(err, "kafka-hot-key --rate 0"));
    assertTrue(err.toString().contains("--rate must be between"), err::toString);
  }
}
