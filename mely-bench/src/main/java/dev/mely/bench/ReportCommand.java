package dev.mely.bench;

import dev.mely.bench.micro.MicroReport;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Makes tables and charts from result files. */
@Command(
    name = "report",
    description =
        "Prints the tables of result files again, and draws the score of each configuration and"
            + " its ratio to the reference, as PNG and SVG. Compares with the paper's figures, if"
            + " there are any.")
public final class ReportCommand extends BenchCommand {
  @Parameters(arity = "1..*", paramLabel = "<file>", description = "JSON files written by runs")
  private List<Path> files = List.of();

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description = "where to write the charts (default: the folder of each file)")
  private @Nullable Path out;

  @Override
  public Integer call() {
    Map<Path, Results> all = new LinkedHashMap<>();
    for (Path file : files) {
      all.put(file, read(file));
    }
    all.forEach(this::report);
    return 0;
  }

  private Results read(Path file) {
    try {
      return Results.fromJson(Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ParameterException(spec.commandLine(), "there is no file '" + file + "'", e);
    } catch (IOException | IllegalArgumentException e) {
      throw new ParameterException(
          spec.commandLine(), "cannot read '" + file + "': " + e.getMessage(), e);
    }
  }

  private void report(Path file, Results results) {
    PrintStream console = System.out;
    console.println(results.title());
    results.environment().forEach((k, v) -> console.println("  " + k + ": " + plain(v)));
    console.println();
    console.print(MicroReport.prints(results) ? new MicroReport(results) : table(results));
    PaperComparison paper = PaperComparison.of(results);
    if (paper != null) {
      console.println("\nCompared with the paper:\n");
      console.print(paper);
    }
    Path parent = file.toAbsolutePath().getParent();
    Path directory = out != null ? out : parent != null ? parent : Path.of("");
    String name = results.fileName();
    List<Path> written = new ArrayList<>(Charts.write(() -> scores(results), directory, name));
    if (!results.references().isEmpty()) {
      written.addAll(Charts.write(() -> ratios(results), directory, name + "-ratio"));
    }
    if (paper != null) {
      written.addAll(Charts.write(paper::chart, directory, name + "-paper"));
    }
    written.forEach(picture -> console.println("Picture: " + picture));
    console.println();
  }

  private static Object plain(Object value) {
    return value instanceof Double d && d == Math.rint(d) ? (Object) Math.round(d) : value;
  }

  private static org.knowm.xchart.CategoryChart scores(Results results) {
    Score score = results.score();
    List<Spread> spreads = new ArrayList<>();
    for (String c : results.contenders()) {
      Spread s = results.spread(c, score.figure());
      spreads.add(
          new Spread(s.median() / score.unit(), s.min() / score.unit(), s.max() / score.unit()));
    }
    return Charts.bars(
        results.title(),
        score.title() + (score.moreIsBetter() ? "" : " (less is better)"),
        results.contenders(),
        Map.of(score.title(), spreads));
  }

  private static org.knowm.xchart.CategoryChart ratios(Results results) {
    List<String> compared =
        results.contenders().stream()
            .filter(c -> Double.isFinite(results.ratio(c).median()))
            .toList();
    Set<String> references = new LinkedHashSet<>(results.references().values());
    String unit = "× " + String.join(", ", references);
    return Charts.bars(
        results.title() + ": ratio, sample by sample",
        unit + (results.score().moreIsBetter() ? "" : " (less is better)"),
        compared,
        Map.of(unit, compared.stream().map(results::ratio).toList()));
  }

  /** A table of the medians of all figures. */
  static ResultTable table(Results results) {
    Set<String> figures = new LinkedHashSet<>();
    results.samples().values().forEach(list -> list.forEach(s -> figures.addAll(s.keySet())));
    figures.remove(results.score().figure());
    ResultTable table = new ResultTable("contender", results).score("ratio");
    figures.forEach(f -> table.column(f, c -> rounded(results.median(c, f))));
    return table;
  }

  /** Rounds to three significant digits. */
  private static String rounded(double value) {
    double size = Math.abs(value);
    return Table.number(value, size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  }
}
