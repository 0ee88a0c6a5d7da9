package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServerReportTest {
  private static Map<String, Double> echo(double rate) {
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("messagesPerSecond", rate);
    sample.put("p50Micros", 300.0);
    sample.put("p99Micros", 900.0);
    sample.put("serverCpuMicros", 7.5);
    sample.put("switches", 0.25);
    sample.put("stealsPerThousand", 3.0);
    sample.put("c1Percent", 0.5);
    sample.put("c2Percent", 12.25);
    sample.put("gcPercent", 3.0);
    sample.put(ResultTable.WARM, rate > 55_000 ? 1.0 : 0.0);
    sample.put("clientCpus", 0.5);
    sample.put(ResultTable.OTHERS, 0.25);
    return sample;
  }

  private static Map<String, Double> skew(double rate, double lightP99) {
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("busyPerSecond", rate);
    sample.put("busyP99Millis", 4.5);
    sample.put("lightP50Millis", 0.1);
    sample.put("lightP99Millis", lightP99);
    sample.put("lateP99Millis", 0.06);
    sample.put("serverCpus", 1.0);
    sample.put("stealsPerThousand", 800.0);
    sample.put("clientCpus", 0.1);
    sample.put(ResultTable.OTHERS, 0.25);
    return sample;
  }

  private static List<String> row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return List.of(line.substring(1).strip().split("\\s*\\|\\s*"));
  }

  private static Results results(
      String figure, Map<String, String> references, Map<String, List<Map<String, Double>>> some) {
    double unit = figure.startsWith("messages") ? 1e3 : 1;
    Score score = new Score(figure, "rate", unit, unit == 1 ? 0 : 1, true);
    return new Results("a", "", score, references, Map.of(), some);
  }

  @Test
  void comparesEchoOnTheSameTransport() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    Map<String, String> references = new LinkedHashMap<>();
    Side stock = new Side(Service.ECHO, Transport.NIO, Group.STOCK);
    Side mely = new Side(Service.ECHO, Transport.NIO, Group.MELY);
    Side alone = new Side(Service.ECHO, Transport.EPOLL, Group.MELY);
    samples.put(stock.label(), List.of(echo(100_000), echo(50_000)));
    samples.put(mely.label(), List.of(echo(110_000), echo(60_000)));
    samples.put(alone.label(), List.of(echo(1), echo(2)));
    List.of(stock, mely, alone).forEach(s -> references.put(s.label(), s.reference()));
    String report = new EchoCommand().table(results("messagesPerSecond", references, samples));
    assertEquals(
        List.of(
            "nio-mely",
            "85.0",
            "1.15",
            "1.10–1.20",
            "300",
            "900",
            "7.50",
            "0.250",
            "3.00",
            "0.5",
            "12.3",
            "3.0",
            "2/2",
            "0.50",
            "0.25"),
        row(report, "nio-mely"));
    assertEquals("1/2", row(report, "nio-stock").get(12));
    assertEquals("–", row(report, "epoll-mely").get(2));
  }

  @Test
  void comparesWithTheSkewedStockGroup() {
    Side stock = new Side(Service.SKEW, Transport.NIO, Group.STOCK);
    String even = stock.label() + "-even";
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put(stock.label(), List.of(skew(1_000, 1), skew(2_000, 3)));
    samples.put(even, List.of(skew(2_000, 5), skew(3_000, 7)));
    Map<String, String> references = Map.of(even, stock.reference());
    String report = SkewCommand.report(results("busyPerSecond", references, samples));
    assertEquals(
        List.of(
            "nio-stock-even",
            "2,500",
            "1.75",
            "1.50–2.00",
            "4.5",
            "0.10",
            "6.00 (5.00–7.00)",
            "0.06",
            "800",
            "–",
            "1.00",
            "–",
            "–",
            "–",
            "–",
            "0.10",
            "0.25"),
        row(report, "nio-stock-even"));
  }

  /** A counter is compared with stock, and with the echo on the same loops. */
  @Test
  void comparesACounterWithTheEcho() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("echo nio-stock", List.of(echo(100_000)));
    samples.put("echo nio-mely", List.of(echo(50_000)));
    samples.put("counter-owned reads-90 nio-stock", List.of(echo(80_000)));
    samples.put("counter-owned reads-90 nio-mely", List.of(echo(40_000)));
    samples.put("counter-owned reads-90 epoll-mely", List.of(echo(40_000)));
    Map<String, String> references =
        Map.of("counter-owned reads-90 nio-mely", "counter-owned reads-90 nio-stock");
    String report = new EveCommand().table(results("messagesPerSecond", references, samples));
    List<String> row = row(report, "counter-owned reads-90 nio-mely");
    assertEquals(List.of("40.0", "0.50", "0.50–0.50"), row.subList(1, 4));
    assertEquals("0.80", row.get(row.size() - 1));
    List<String> alone = row(report, "counter-owned reads-90 epoll-mely");
    assertEquals("–", alone.get(alone.size() - 1));
  }
}
