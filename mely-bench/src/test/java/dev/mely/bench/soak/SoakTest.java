package dev.mely.bench.soak;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code -Dmely.soak.seconds=600} soaks longer. */
class SoakTest {
  private static final int SECONDS = Integer.getInteger("mely.soak.seconds", 3);

  @Test
  void everyEventIsAccountedFor(@TempDir Path directory) throws Exception {
    Path json = directory.resolve("soak.json");
    StringWriter out = new StringWriter();
    assertEquals(
        0,
        run(out, "--seconds=" + SECONDS, "--seed=1", "--cores=2", "--json=" + json),
        out::toString);
    assertTrue(out.toString().contains("All adds up."), out::toString);
    assertTrue(Files.readString(json).contains("\"faults\": []"));
  }

  @Test
  @Timeout(300)
  void oneForgottenEventIsNoticed(@TempDir Path directory) {
    StringWriter out = new StringWriter();
    int code =
        run(
            out,
            "--seconds=1",
            "--cores=2",
            "--forget=1",
            "--json=" + directory.resolve("soak.json"));
    assertEquals(1, code, out::toString);
    assertTrue(out.toString().contains("FAILED: accepted "), out::toString);
  }

  @Test
  void otherFaultsAreNoticedToo() {
    Ledger ledger = new Ledger();
    assertTrue(ledger.faults().isEmpty());
    ledger.outOfOrder.increment();
    ledger.thrown.increment();
    ledger.timersLeft.increment();
    ledger.mostThreadsLeft.accumulate(3);
    assertEquals(4, ledger.faults().size(), () -> ledger.faults().toString());
  }

  @Test
  void strandTellsOrder() {
    Strand strand = new Strand(null);
    assertTrue(strand.finish(new SoakEvent(strand, 0)));
    assertTrue(strand.finish(new SoakEvent(strand, SoakEvent.ANYWHERE)));
    assertFalse(strand.finish(new SoakEvent(strand, 2)));
  }

  @Test
  void growthIsToldFromNoise() {
    HeapSeries flat = new HeapSeries();
    HeapSeries leaking = new HeapSeries();
    for (int i = 0; i < 12; i++) {
      flat.add((i < 2 ? 90 : 30) + i % 2); // warm-up, then noise
      leaking.add(30 + 2 * i);
    }
    assertTrue(flat.isFlat());
    assertFalse(leaking.isFlat());
    assertEquals(2, leaking.slope(), 1e-9);
  }

  private static int run(StringWriter out, String... args) {
    return new CommandLine(new SoakCommand()).setOut(new PrintWriter(out, true)).execute(args);
  }
}
