package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import jdk.jfr.Name;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

@Timeout(300)
class StartupTest {
  @TempDir private Path directory;

  static List<String> services() {
    return Boolean.getBoolean("mely.proof") ? List.of("sws", "echo") : List.of("echo");
  }

  /** The whole command, as short as it can be: real servers, a real recording, a picture. */
  @ParameterizedTest
  @MethodSource("services")
  void runsFromBeginningToEnd(String service) throws IOException {
    Path json = directory.resolve("startup.json");
    int code =
        new CommandLine(new StartupCommand())
            .execute(
                "--samples=1",
                "--seconds=1",
                "--connections=4",
                "--service=" + service,
                "--transports=nio",
                "--cores=2",
                "--out=" + directory,
                "--json=" + json);
    assertEquals(0, code);
    Results results = Results.fromJson(Files.readString(json));
    assertEquals(List.of("nio-stock", "nio-mely"), results.contenders());
    for (String c : results.contenders()) {
      assertEquals(results.median(c, "requests"), results.median(c, "at1.requests"), c);
      assertEquals(results.median(c, "requests"), results.median(c, "rate1"), c);
      assertTrue(results.median(c, "at1.cpuSeconds") > 0, c);
      assertTrue(results.median(c, "compilations") > 0, c);
      assertTrue(results.median(c, "codeBytes") > results.median(c, "compilations"), c);
      assertTrue(results.median(c, "codeBytes") >= results.median(c, "optimizedBytes"), c);
      assertTrue(results.median(c, "deoptimizations") >= 0, c);
    }
    assertTrue(Files.size(directory.resolve("startup-nio-mely.jfr")) > 0);
    assertTrue(ImageIO.read(directory.resolve("startup.png").toFile()).getWidth() >= 800);
  }

  /** One that is left on costs Mely's servers what the stock group's do not pay. */
  @Test
  void recordsNoEventOfMelysOwn() throws IOException {
    String settings;
    try (InputStream in = StartupCommand.class.getResourceAsStream(StartupCommand.SETTINGS)) {
      settings = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    List<String> own =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.mely.flight")
                .stream()
                .flatMap(type -> type.tryGetAnnotationOfType(Name.class).stream())
                .map(Name::value)
                .toList();
    assertFalse(own.isEmpty());
    for (String event : own) {
      String off = "<event name=\"" + event + "\"><setting name=\"enabled\">false<";
      assertTrue(settings.contains(off), event);
    }
  }

  @Test
  void looksAtTheMarksAndAtTheEnd() {
    assertEquals(List.of(5, 10, 20, 30), StartupCommand.marks(30));
    assertEquals(List.of(5, 7), StartupCommand.marks(7));
    assertEquals(List.of(5, 10, 20, 30, 40), StartupCommand.marks(40));
  }

  @ParameterizedTest
  @CsvSource({"10 50 89 90 100 100 100 100 100, 4", "5, 1", "0 0, 1", "1 100 2 99 99 99 99 99, 2"})
  void tellsWhenTheRateWasNearlyThere(String rates, double second) {
    assertEquals(
        second,
        StartupCommand.nearly(List.of(rates.split(" ")).stream().map(Double::valueOf).toList()));
  }

  private static Map<String, Double> sample(double requests, double c1, double c2) {
    Map<String, Double> sample = new LinkedHashMap<>();
    sample.put("requests", requests);
    for (String at : List.of("at5.", "at10.")) {
      sample.put(at + "requests", requests / 2);
      sample.put(at + "c1Seconds", c1);
      sample.put(at + "c2Seconds", c2);
      sample.put(at + "compilerSeconds", c1 + c2);
    }
    sample.put("codeBytes", 2e6);
    return sample;
  }

  @Test
  void comparesAtEachMark() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("nio-stock", List.of(sample(1_000, 1, 2), sample(3_000, 1, 2)));
    samples.put("nio-mely", List.of(sample(500, 1.5, 6), sample(1_500, 1.5, 6)));
    Results results =
        new Results(
            "startup",
            "",
            new Score("requests", "requests", 1, 0, true),
            Map.of("nio-stock", "nio-stock", "nio-mely", "nio-stock"),
            Map.of(),
            samples);
    String report = StartupCommand.report(results, List.of(5, 10));
    assertEquals(
        List.of("nio-mely 10 s", "500", "0.50", "–", "–", "1.50", "6.00", "2.50", "–"),
        row(report, "nio-mely 10 s"));
    assertEquals(List.of("nio-mely", "1,000", "0.50"), row(report, "nio-mely").subList(0, 3));
  }

  private static List<String> row(String report, String name) {
    String line = report.lines().filter(l -> l.startsWith("| " + name + " ")).findFirst().get();
    return List.of(line.substring(1).strip().split("\\s*\\|\\s*"));
  }

  @Test
  void drawsALinePerServer() {
    Map<String, Double> sample = Map.of("rate1", 10.0, "rate2", 20.0);
    Results results =
        new Results(
            "startup",
            "",
            new Score("requests", "requests", 1, 0, true),
            Map.of(),
            Map.of(),
            Map.of("a", List.of(sample)));
    var series = StartupCommand.chart(results, 3).getSeriesMap().get("a");
    assertEquals(List.of(1.0, 2.0, 3.0), boxed(series.getXData()));
    assertEquals(List.of(10.0, 20.0, 0.0), boxed(series.getYData()));
  }

  private static List<Double> boxed(double... values) {
    return java.util.Arrays.stream(values).boxed().toList();
  }
}
