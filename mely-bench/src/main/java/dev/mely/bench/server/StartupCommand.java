package dev.mely.bench.server;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.bench.BenchCommand;
import dev.mely.bench.Charts;
import dev.mely.bench.Labels;
import dev.mely.bench.ResultFile;
import dev.mely.bench.ResultTable;
import dev.mely.bench.Results;
import dev.mely.bench.Score;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.jspecify.annotations.Nullable;
import org.knowm.xchart.XYChart;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Measures a server and its compilers in the first half minute. */
@Command(
    name = "startup",
    description =
        "The first half minute of a server under load, from its first connection, in fresh JVMs"
            + " with Netty's own group and with Mely's: requests, CPU time in total and of both"
            + " compilers, compiled code, and deoptimizations, from a flight recorder. The client"
            + " is one event loop of this process, in a closed loop; it shares the machine's"
            + " CPUs. Takes five minutes.")
public final class StartupCommand extends BenchCommand {
  private static final String NAME = "startup";

  /** Settings of the flight recorder. */
  static final String SETTINGS = "startup.jfc";

  private static final int SAMPLES = 2;
  private static final int MAX_SECONDS = 600;
  private static final int MAX_CONNECTIONS = 10_000;
  private static final int SECONDS = 30;
  private static final int QUICK_SECONDS = 10;

  /** Maximum warm-up of the client itself. */
  private static final int CLIENT_SECONDS = 5;

  /** The table's seconds after the first connection. */
  private static final List<Integer> MARKS = List.of(5, 10, 20, 30);

  /** The last seconds, whose rate is the final one. */
  private static final int FINAL_SECONDS = 5;

  private static final double NEARLY = 0.9;
  private static final double KILO = 1e3;

  /** The compilation level of C2. */
  private static final int OPTIMIZED = 4;

  /** Small files, as {@code sws} serves them. */
  private static final Site SITE = new Site.EqualFiles(100, 1_024);

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
      description = "how long each server is measured (default: 30; --quick: 10)")
  private @Nullable Integer seconds;

  @Option(
      names = "--out",
      paramLabel = "<directory>",
      description =
          "where to put the picture, and each server's last recording for the JDK's 'jfr' "
              + "(default: mely-bench/target, or here outside of the project)")
  private @Nullable Path out;

  @Mixin
  private Comparison comparison = new Comparison(SAMPLES, "nio", "epoll").among("stock", "mely");

  @Override
  public Integer call() throws Exception {
    inRange("--connections", connections, 1, MAX_CONNECTIONS);
    int chosen = seconds != null ? seconds : comparison.quick() ? QUICK_SECONDS : SECONDS;
    int length = inRange("--seconds", chosen, 1, MAX_SECONDS);
    Service served = Labels.parseAll(spec, List.of(service), StartupCommand::service).get(0);
    Path directory = Files.createTempDirectory("mely-" + NAME);
    try {
      SITE.write(Files.createDirectory(directory.resolve("files")));
      try (InputStream settings = StartupCommand.class.getResourceAsStream(SETTINGS)) {
        Files.copy(Objects.requireNonNull(settings, SETTINGS), directory.resolve(SETTINGS));
      }
      run(served, directory, length);
    } finally {
      MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    return 0;
  }

  private static Service service(String name) {
    return Labels.parse("service", name, List.of(Service.SWS, Service.ECHO), Service::label);
  }

  private void run(Service served, Path directory, int length) throws Exception {
    Path kept = out != null ? out : ResultFile.directory("");
    Files.createDirectories(kept);
    List<Contender<Path>> sides = new ArrayList<>();
    for (Side side : comparison.sides("", served)) {
      Path recording = kept.resolve(NAME + "-" + side.label() + ".jfr").toAbsolutePath();
      String recorder =
          "-XX:StartFlightRecording:dumponexit=true,settings="
              + directory.resolve(SETTINGS)
              + ",filename="
              + recording;
      List<String> flags = List.of("-Xlog:jfr+startup=error", recorder);
      Path files = directory.resolve("files");
      sides.add(side.with(recording, () -> comparison.serve(side, files, flags)));
    }
    Supplier<Dialogue> dialogues =
        served == Service.SWS ? HttpDialogue.of(SITE) : EchoDialogue::new;
    System.out.print(comparison.environment());
    System.out.printf(
        Locale.ROOT,
        "%s, %d connections; %d servers of each group, %d s each%n",
        served.label(),
        connections,
        comparison.samples(),
        length);
    if (!sides.isEmpty()) {
      // Warms up the client, which would otherwise compile during the first sample.
      try (Server server = sides.get(0).starter().call();
          LoadClient client = new LoadClient(server.port(), connections, dialogues)) {
        client.count(TimeUnit.SECONDS.toNanos(Math.min(length, CLIENT_SECONDS)));
      }
    }
    Score score = new Score("requests", "requests in " + length + " s", 1, 0, true);
    Results results =
        comparison.run(
            NAME, score, sides, (side, server) -> sample(side.load(), server, dialogues, length));
    comparison.tell(results, report(results, marks(length)));
    sides.forEach(side -> System.out.println("Recording: " + side.load()));
    Charts.write(() -> chart(results, length), kept, NAME)
        .forEach(picture -> System.out.println("Picture: " + picture));
  }

  /** The marks up to the end, which is one, too. */
  static List<Integer> marks(int length) {
    return Stream.concat(MARKS.stream().filter(m -> m < length), Stream.of(length)).toList();
  }

  // ---- Measuring

  private Map<String, Double> sample(
      Path recording, Server server, Supplier<Dialogue> dialogues, int length)
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
    server.close(); // the server writes its recording
    addCode(sample, recording);
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
      sample.put(at + "compilerSeconds", used.jvm().compilers() / 1e9);
      sample.put(at + "gcSeconds", used.jvm().collector() / 1e9);
    }
  }

  /** Adds the size of compiled code, and the number of deoptimizations. */
  private static void addCode(Map<String, Double> sample, Path recording) throws IOException {
    Map<String, Double> sums = new TreeMap<>();
    sums.put("deoptimizations", 0.0); // there may be none in a few seconds
    for (RecordedEvent event : RecordingFile.readAllEvents(recording)) {
      if (event.getEventType().getName().equals("jdk.Deoptimization")) {
        sums.merge("deoptimizations", 1.0, Double::sum);
      } else if (event.hasField("codeSize")
          && event.getLong("codeSize") > 0) { // else the compilation failed
        boolean optimized = event.getInt("compileLevel") == OPTIMIZED;
        double bytes = event.getLong("codeSize");
        sums.merge("compilations", 1.0, Double::sum);
        sums.merge("codeBytes", bytes, Double::sum);
        sums.merge("optimizations", optimized ? 1.0 : 0, Double::sum);
        sums.merge("optimizedBytes", optimized ? bytes : 0, Double::sum);
      }
    }
    sample.putAll(sums);
  }

  /** The first second with at least 90 % of the final rate. */
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

  /** Both tables with their legends. */
  static String report(Results results, List<Integer> marks) {
    Results times =
        marks.stream()
            .map(m -> results.part("at" + m + ".", "", c -> c + " " + m + " s"))
            .reduce(Results::and)
            .orElseThrow();
    return new ResultTable("server", results)
            .score()
            .median("90 % of rate after s", "nearlySeconds", 0)
            .scaled("code KB", "codeBytes", KILO, 0)
            .scaled("C2 code KB", "optimizedBytes", KILO, 0)
            .median("compilations", "compilations", 0)
            .median("by C2", "optimizations", 0)
            .median("deoptimizations", "deoptimizations", 0)
            .clients()
        + "\n"
        + new ResultTable("after the first connection", times)
            .median("requests", "requests", 0)
            .ratio("× stock", "requests")
            .median("CPU s", "cpuSeconds", 2)
            .median("CPU µs/request", "cpuMicros", 1)
            .median("C1 s", "c1Seconds", 2)
            .median("C2 s", "c2Seconds", 2)
            .ratio("C1 and C2 × stock", "compilerSeconds")
            .median("GC s", "gcSeconds", 2)
        + """

        Medians of the samples. × stock: ratio to Netty's own group on the same transport, sample by sample.
        90 % of rate: the first second with at least 90 % of the mean rate of the last five. code: size of all
        compiled code, discarded code included; deoptimizations: how often running code was abandoned. Both
        come from a flight recording, which causes a few compilations itself, with either group;
        'jfr print --events Deoptimization' shows the methods and reasons. C1, C2, GC: CPU time of the
        compilers and the garbage collector; –: unknown.

        """;
  }

  /** The rate over time, a curve per side: medians of the samples. */
  static XYChart chart(Results results, int length) {
    Map<String, Map<Double, Double>> lines = new LinkedHashMap<>();
    for (String c : results.contenders()) {
      Map<Double, Double> line = new TreeMap<>();
      IntStream.rangeClosed(1, length)
          .forEach(second -> line.put((double) second, results.median(c, "rate" + second)));
      lines.put(c, line);
    }
    return Charts.curves(
        "Requests a second after the first connection",
        "seconds after the first connection (medians of the samples)",
        "requests/s",
        lines);
  }
}
