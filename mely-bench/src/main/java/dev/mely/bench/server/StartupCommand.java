package dev.mely.bench.server;

import dev.mely.bench.Charts;
import dev.mely.bench.Checks;
import dev.mely.bench.Json;
import dev.mely.bench.ResultFile;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import dev.mely.bench.Table;
import dev.mely.bench.Versions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.XYChart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** What a server does in its first half minute, and what its compilers do meanwhile. */
@Command(
    name = "startup",
    description =
        "The first half minute of a server under load, from its first connection, in fresh JVMs with "
            + "Netty's own group and with Mely's: requests, CPU time, that of both compilers, compiled code, and "
            + "what was thrown away of it, from a flight recorder. The client is one event loop of this "
            + "process, in a closed loop; it shares the machine's CPUs. Takes five minutes.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    sortOptions = false)
public final class StartupCommand implements Callable<Integer> {
  private static final String NAME = "startup";
  private static final int SAMPLES = 2;
  private static final int MAX_SECONDS = 600;
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int SECONDS = 30;
  private static final int QUICK_SECONDS = 10;

  /** The client itself, and what is measured with it, run once before: so long at most. */
  private static final int CLIENT_SECONDS = 5;

  /** Seconds after the first connection at which the table looks. */
  private static final List<Integer> MARKS = List.of(5, 10, 20, 30);

  /** The last seconds have the rate that the others are compared with. */
  private static final int FINAL_SECONDS = 5;

  private static final double NEARLY = 0.9;
  private static final int TOP = 10;
  private static final double KILO = 1e3;

  /** Small files, as {@code sws} serves them. */
  private static final Site SITE = new Site.EqualFiles(100, 1_024);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--service",
      paramLabel = "<name>",
      description = "what the server does: sws or echo (default: ${DEFAULT-VALUE})")
  private String service = "sws";

  @Option(
      names = "--connections",
      paramLabel = "<n>",
      description = "connections (default: ${DEFAULT-VALUE})")
  private int connections = 64;

  @Option(
      names = "--seconds",
      paramLabel = "<n>",
      description = "how long each server is looked at (default: 30; --quick: 10)")
  private @Nullable Integer seconds;

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put picture and methods (default: mely-bench/target, or here outside of the project)")
  private @Nullable Path out;

  @Mixin
  private Comparison comparison = new Comparison(SAMPLES, "nio", "epoll").among("stock", "mely");

  /** What each side's compilers did in all its samples. */
  private final Map<String, CodeReport> code = new LinkedHashMap<>();

  /** A server that records. */
  private record Recorded(Side side, @Nullable Path files) implements Contender {
    @Override
    public String label() {
      return side.label();
    }

    @Override
    public String reference() {
      return side.reference();
    }

    @Override
    public ServerProcess start(Comparison comparison) throws IOException {
      List<String> flags = List.of("-D" + CodeRecording.WANTED + "=true");
      return comparison.serve(side.service(), side.transport(), side.group(), files, flags);
    }
  }

  @Override
  public Integer call() throws Exception {
    Checks.inRange(spec, "--connections", connections, 1, MAX_CONNECTIONS);
    int chosen = seconds != null ? seconds : comparison.quick() ? QUICK_SECONDS : SECONDS;
    int length = Checks.inRange(spec, "--seconds", chosen, 1, MAX_SECONDS);
    Service served = Labels.parseAll(spec, List.of(service), StartupCommand::service).get(0);
    Path files = Files.createTempDirectory("mely-" + NAME);
    try {
      SITE.write(files);
      run(served, files, length);
    } finally {
      delete(files);
    }
    return 0;
  }

  private static Service service(String name) {
    return Labels.parse("service", name, new Service[] {Service.SWS, Service.ECHO}, Service::label);
  }

  private void run(Service served, Path files, int length) throws Exception {
    List<Recorded> sides =
        comparison.sides("", served).stream().map(s -> new Recorded(s, files)).toList();
    Supplier<Dialogue> dialogues =
        served == Service.SWS
            ? HttpDialogue.of(SITE)
            : () -> new ExchangeDialogue(new EchoExchange());
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%s, %d connections; %d servers of each group, %d s each%n",
        served.label(),
        connections,
        comparison.samples(),
        length);
    if (!sides.isEmpty()) {
      warmUpClient(sides.get(0), dialogues, Math.min(length, CLIENT_SECONDS));
    }
    Score score = new Score("requests", "requests in " + length + " s", 1, 0, true);
    Results results =
        comparison.run(
            NAME, score, sides, (side, server) -> sample(side, server, dialogues, length));
    System.out.println();
    System.out.print(report(results, marks(length), code));
    System.out.println("Samples: " + comparison.write(results));
    Path directory = out != null ? out : defaultDirectory();
    Path all = directory.resolve(NAME + "-methods.json");
    System.out.println("Methods: " + ResultFile.write(all, NAME, Json.write(methods(code))));
    Charts.write(() -> chart(results, length), directory, NAME)
        .forEach(picture -> System.out.println("Picture: " + picture));
  }

  private static Path defaultDirectory() {
    Path build = Path.of("mely-bench", "target");
    return Files.isDirectory(build) ? build : Path.of("");
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }

  /** The marks that are reached; the end is one. */
  static List<Integer> marks(int length) {
    return Stream.concat(MARKS.stream().filter(m -> m < length), Stream.of(length)).toList();
  }

  // ---- Measuring

  /** Or the first sample would have a client that compiles, too. */
  private void warmUpClient(Recorded side, Supplier<Dialogue> dialogues, int seconds)
      throws IOException, InterruptedException {
    try (Server server = side.start(comparison);
        LoadClient client = new LoadClient(server.port(), connections, dialogues)) {
      client.closed(TimeUnit.SECONDS.toNanos(seconds));
    }
  }

  private Map<String, Double> sample(
      Recorded side, Server server, Supplier<Dialogue> dialogues, int length)
      throws IOException, InterruptedException {
    Map<String, Double> sample = new LinkedHashMap<>();
    Meter meter = Meter.start(server);
    long start = System.nanoTime();
    try (LoadClient client = new LoadClient(server.port(), connections, dialogues)) {
      client.begin();
      long answered = 0;
      List<Double> rates = new ArrayList<>();
      for (int second = 1; second <= length; second++) {
        long due = start + TimeUnit.SECONDS.toNanos(second);
        TimeUnit.NANOSECONDS.sleep(Math.max(0, due - System.nanoTime()));
        long now = client.answered();
        rates.add((double) now - answered);
        answered = now;
        sample.put("rate" + second, rates.get(second - 1));
        if (marks(length).contains(second)) {
          mark(sample, second, answered, meter.stop().server());
        }
      }
      Meter.Reading used = meter.stop();
      sample.put("requests", (double) answered);
      sample.put("nearlySeconds", nearly(rates));
      used.addCpus(sample);
      client.end();
    }
    if (server instanceof ServerProcess process) {
      addCode(sample, side.label(), process.recording());
    }
    return sample;
  }

  private static void mark(Map<String, Double> sample, int second, long answered, Usage used) {
    String at = "at" + second + ".";
    sample.put(at + "requests", (double) answered);
    sample.put(at + "cpuSeconds", used.cpuNanos() / 1e9);
    sample.put(at + "cpuMicros", used.cpuNanos() / KILO / Math.max(1, answered));
    if (used.jvm().isKnown()) {
      sample.put(at + "c1Seconds", used.jvm().c1() / 1e9);
      sample.put(at + "c2Seconds", used.jvm().c2() / 1e9);
      sample.put(at + "gcSeconds", used.jvm().collector() / 1e9);
    }
  }

  private void addCode(Map<String, Double> sample, String label, Path recording)
      throws IOException {
    try {
      CodeReport report = new CodeReport();
      report.add(recording);
      report.addTo(sample);
      code.computeIfAbsent(label, x -> new CodeReport()).add(report);
    } finally {
      Files.deleteIfExists(recording);
    }
  }

  /** The first second whose rate is nine tenths of that of the last ones. */
  static double nearly(List<Double> rates) {
    int last = Math.min(FINAL_SECONDS, rates.size());
    double end =
        rates.subList(rates.size() - last, rates.size()).stream()
            .mapToDouble(Double::doubleValue)
            .average()
            .orElse(0);
    return 1
        + IntStream.range(0, rates.size())
            .filter(i -> rates.get(i) >= NEARLY * end)
            .findFirst()
            .orElse(rates.size());
  }

  // ---- Tables

  /** All tables, and what they mean. */
  static String report(Results results, List<Integer> marks, Map<String, CodeReport> code) {
    ComparisonTable table =
        new ComparisonTable("server", results)
            .median("90 % of rate after s", "nearlySeconds", 0)
            .column("code KB", c -> kilobytes(results, c, "codeBytes"))
            .column("C2 code KB", c -> kilobytes(results, c, "optimizedBytes"))
            .median("compilations", "compilations", 0)
            .median("by C2", "optimizations", 0)
            .median("deoptimizations", "deoptimizations", 0)
            .median("client CPUs", "clientCpus", 2)
            .median("others CPUs", Meter.OTHERS, 2);
    Table times =
        new Table(
            "after the first connection",
            "requests",
            "× stock",
            "CPU s",
            "CPU µs/request",
            "C1 s",
            "C2 s",
            "C1 and C2 × stock",
            "GC s");
    for (int mark : marks) {
      results.contenders().forEach(c -> times.add(row(results, c, mark)));
    }
    return table
        + "\n"
        + times
        + """

        Medians of the samples. × stock: ratio to Netty's own group on the same transport, sample by sample.
        90 % of rate: the first second in which as many were answered as nine tenths of the mean of the last
        five. code: what the compilers made, that which was thrown away included; deoptimizations: how often
        running code was left. All of them from a flight recorder, which compiles a little itself, on either
        side. C1, C2, GC: CPU time of the compilers and the collector; –: not known here.

        """
        + methods("optimized by C2 more than once", code, CodeReport::optimizations, 2)
        + methods("deoptimized", code, CodeReport::deoptimizations, 1);
  }

  private static String[] row(Results results, String c, int mark) {
    String at = "at" + mark + ".";
    return new String[] {
      c + " " + mark + " s",
      Table.number(results.median(c, at + "requests"), 0),
      Table.number(results.ratio(c, at + "requests").median(), 2),
      Table.number(results.median(c, at + "cpuSeconds"), 2),
      Table.number(results.median(c, at + "cpuMicros"), 1),
      Table.number(results.median(c, at + "c1Seconds"), 2),
      Table.number(results.median(c, at + "c2Seconds"), 2),
      Table.number(compilers(results, c, at), 2),
      Table.number(results.median(c, at + "gcSeconds"), 2)
    };
  }

  /** What both compilers used, compared with the reference; of the medians. */
  private static double compilers(Results results, String c, String at) {
    String reference = results.references().getOrDefault(c, "");
    return results.contenders().contains(reference)
        ? compilerSeconds(results, c, at) / compilerSeconds(results, reference, at)
        : Double.NaN;
  }

  private static double compilerSeconds(Results results, String c, String at) {
    return results.median(c, at + "c1Seconds") + results.median(c, at + "c2Seconds");
  }

  private static String kilobytes(Results results, String c, String figure) {
    return Table.number(results.median(c, figure) / KILO, 0);
  }

  /** The most frequent ones of each side, over all its samples. */
  private static String methods(
      String title,
      Map<String, CodeReport> code,
      java.util.function.Function<CodeReport, Map<String, Integer>> counts,
      int least) {
    Table table = new Table("server", title, "times in all samples");
    code.forEach(
        (label, report) ->
            counts.apply(report).entrySet().stream()
                .filter(e -> e.getValue() >= least)
                .limit(TOP)
                .forEach(e -> table.add(label, e.getKey(), e.getValue().toString())));
    return table + "\n";
  }

  /** All methods, for a file. */
  private static Map<String, Object> methods(Map<String, CodeReport> code) {
    Map<String, Object> all = new LinkedHashMap<>();
    code.forEach(
        (label, report) ->
            all.put(
                label,
                Map.of(
                    "optimizations",
                    report.optimizations(),
                    "deoptimizations",
                    report.deoptimizations())));
    return all;
  }

  /** The rate over time, a line per side: medians of the samples. */
  static XYChart chart(Results results, int length) {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    for (String c : results.contenders()) {
      lines.put(
          c,
          IntStream.rangeClosed(1, length).mapToObj(s -> results.median(c, "rate" + s)).toList());
    }
    return Charts.lines(
        "Requests a second after the first connection",
        "seconds after the first connection (medians of the samples)",
        "requests/s",
        lines);
  }
}
