package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
    sample.put("serverCpuMicrosPerMessage", 7.5);
    sample.put("switchesPerMessage", 0.25);
    sample.put("stealsPerThousand", 3.0);
    sample.put("clientCpus", 0.5);
    sample.put(Comparison.OTHERS, 0.25);
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
    sample.put(Comparison.OTHERS, 0.25);
    return sample;
  }

  private static List<String> row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return List.of(line.substring(1).strip().split("\\s*\\|\\s*"));
  }

  @Test
  void comparesEchoOnTheSameTransport() {
    Map<EchoCommand.Side, List<Map<String, Double>>> results = new LinkedHashMap<>();
    results.put(
        new EchoCommand.Side(Transport.NIO, Group.STOCK), List.of(echo(100_000), echo(50_000)));
    results.put(
        new EchoCommand.Side(Transport.NIO, Group.MELY), List.of(echo(110_000), echo(60_000)));
    results.put(new EchoCommand.Side(Transport.EPOLL, Group.MELY), List.of(echo(1), echo(2)));
    String report = EchoCommand.report(results);
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
            "0.50",
            "0.25"),
        row(report, "nio-mely"));
    assertEquals("–", row(report, "epoll-mely").get(2));
  }

  @Test
  void comparesWithTheSkewedStockGroup() {
    Map<SkewCommand.Side, List<Map<String, Double>>> results = new LinkedHashMap<>();
    results.put(SkewCommand.Side.reference(Transport.NIO), List.of(skew(1_000, 1), skew(2_000, 3)));
    results.put(
        new SkewCommand.Side(Transport.NIO, Group.STOCK, true),
        List.of(skew(2_000, 5), skew(3_000, 7)));
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
            "1.00",
            "0.10",
            "0.25"),
        row(SkewCommand.report(results), "nio-stock-even"));
  }
}
