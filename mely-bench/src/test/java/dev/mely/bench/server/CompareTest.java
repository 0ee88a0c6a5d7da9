package dev.mely.bench.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(300)
class CompareTest {
  private static final Score SCORE = new Score("requestsPerSecond", "requests/s", 1, 0, true);

  @TempDir private Path directory;

  private static Map<String, Double> sample(double rate) {
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("requestsPerSecond", rate);
    for (String p : List.of("p50", "p75", "p90", "p95", "p99", "p99.5")) {
      sample.put(p + "Millis", Double.parseDouble(p.substring(1)) / 10);
    }
    sample.put("lateP99Millis", 0.1);
    sample.put("stealsPerThousand", 5.0);
    sample.put("serverCpus", 1.5);
    sample.put("clientCpus", 0.2);
    sample.put(ResultTable.OTHERS, 0.0);
    sample.put(ResultTable.WARM, 1.0);
    sample.put("loop0", 0.9);
    return sample; // the second loop never had a connection
  }

  @Test
  void comparesWithTheStockGroupOnTheSameLoad() {
    Side stock = new Side(Service.SKEW, Transport.NIO, Group.STOCK);
    Side mely = new Side(Service.SKEW, Transport.NIO, Group.MELY);
    Map<String, Double> slow = new LinkedHashMap<>();
    Map<String, Double> fast = new LinkedHashMap<>();
    for (CompareCommand.Load load : CompareCommand.Load.values()) {
      int n = load.ordinal() + 1;
      sample(n * 1_000.0).forEach((name, value) -> slow.put(load.figure(name), value));
      sample(n * n * 1_000.0).forEach((name, value) -> fast.put(load.figure(name), value));
    }
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put(stock.label(), List.of(slow));
    samples.put(mely.label(), List.of(fast));
    Map<String, String> references =
        Map.of(stock.label(), stock.reference(), mely.label(), mely.reference());
    Results all = new Results("compare", "", SCORE, references, Map.of(), samples);
    List<Results> byLoad = CompareCommand.byLoad(all);
    String report = CompareCommand.report(all, 8);
    String line =
        report.lines().filter(l -> l.startsWith("| mixed nio-mely ")).findFirst().orElseThrow();
    assertEquals(
        List.of(
            "mixed nio-mely",
            "9,000",
            "3.00",
            "3.00–3.00",
            "5.00",
            "9.90 (9.90–9.90)",
            "0.10",
            "5",
            "–",
            "1.50",
            "–",
            "–",
            "–",
            "1/1",
            "0.20",
            "0.00"),
        List.of(line.substring(1).strip().split("\\s*\\|\\s*")));
    assertTrue(report.contains("8 busy connections"), report);
    Results mixed = byLoad.get(2);
    assertEquals("mixed", mixed.load());
    assertEquals(List.of("nio-stock", "nio-mely"), mixed.contenders());
    assertEquals(3, mixed.ratio("nio-mely").median());
  }

  @Test
  void aBusyMachineIsNamedInTheReportAndBelowThePictures() throws IOException {
    String sentence =
        "Other processes used up to 0.26 CPUs during a sample: these figures prove nothing;"
            + " repeat on an idle machine.";
    Results busy = disturbed(0.26);
    assertTrue(CompareCommand.report(busy, 8).endsWith("\n" + sentence + "\n"));
    assertEquals(sentence, caption(busy));
    Results quiet = disturbed(0.25);
    assertFalse(CompareCommand.report(quiet, 8).contains("Other processes"));
    assertEquals("", caption(quiet));
    List<Path> with = CompareCommand.draw(busy, 2, directory.resolve("busy"));
    List<Path> without = CompareCommand.draw(quiet, 2, directory.resolve("quiet"));
    assertEquals(14, with.size());
    for (int i = 0; i < with.size(); i++) {
      if (with.get(i).toString().endsWith(".svg")) { // whose letters are shapes
        assertTrue(Files.size(with.get(i)) > Files.size(without.get(i)), with.get(i)::toString);
      }
    }
  }

  /** Four samples; during one of them other processes used this many CPUs. */
  private static Results disturbed(double others) {
    Map<String, Double> quiet = sample(1_000);
    Map<String, Double> other = sample(2_000);
    other.put(ResultTable.OTHERS, others);
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("nio-stock", List.of(ofAllLoads(quiet), ofAllLoads(quiet)));
    samples.put("nio-mely", List.of(ofAllLoads(quiet), ofAllLoads(other)));
    return new Results("compare", "", SCORE, Map.of(), Map.of(), samples);
  }

  private static String caption(Results results) {
    Map<String, String> figures = Map.of("even", "even.requestsPerSecond");
    return CompareCommand.chart(results, "Throughput", "requests/s", figures).getXAxisTitle();
  }

  @Test
  void drawsThroughputLatencyAndCores() throws IOException {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("nio-stock", List.of(ofAllLoads(sample(1_000)), ofAllLoads(sample(2_000))));
    Map<String, Double> none = sample(0); // nothing came back
    none.put("p50Millis", 0.0);
    none.put("p99Millis", Double.NaN);
    samples.put("nio-mely", List.of(ofAllLoads(none)));
    Results all = new Results("compare", "", SCORE, Map.of(), Map.of(), samples);
    List<Path> files = CompareCommand.draw(all, 2, directory);
    assertEquals(14, files.size());
    for (Path file : files) {
      if (file.toString().endsWith(".png")) {
        assertTrue(ImageIO.read(file.toFile()).getWidth() >= 800);
      } else {
        assertTrue(Files.readString(file, UTF_8).contains("<svg"));
      }
    }
  }

  private static Map<String, Double> ofAllLoads(Map<String, Double> sample) {
    Map<String, Double> all = new LinkedHashMap<>();
    for (CompareCommand.Load load : CompareCommand.Load.values()) {
      sample.forEach((name, value) -> all.put(load.figure(name), value));
    }
    return all;
  }

  /** The whole command, as short as it can be: real servers, real clients, files at the end. */
  @Test
  void runsFromBeginningToEnd() throws IOException {
    int code =
        new CommandLine(new CompareCommand())
            .execute(
                "--samples=1",
                "--time=0.1",
                "--warm-up=0.1",
                "--cores=2",
                "--jvm-arg=-XX:TieredStopAtLevel=1",
                "--out=" + directory);
    assertEquals(0, code);
    assertTrue(Files.exists(directory.resolve("compare-throughput.png")));
    double requests = 0; // some, somewhere: a starved machine may leave one load without any
    for (String load : List.of("even", "skewed", "mixed")) {
      Results results =
          Results.fromJson(Files.readString(directory.resolve("compare-" + load + ".json")));
      assertEquals(List.of("nio-stock", "nio-mely"), results.contenders());
      for (String c : results.contenders()) {
        requests += results.median(c, "requestsPerSecond");
        assertTrue(results.median(c, "loop0") >= 0, c); // NaN without requests
      }
      assertTrue(Files.size(directory.resolve("compare-latency-" + load + ".png")) > 10_000);
    }
    assertTrue(requests > 0);
  }

  @Test
  void mixesLightMediumAndBusy() {
    StringBuilder mix = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      mix.append((char) Frame.mixed(i));
    }
    assertEquals("BMMLLLLLLL", mix.toString());
    assertEquals(70_000, Frame.MIXED_NANOS);
  }
}
