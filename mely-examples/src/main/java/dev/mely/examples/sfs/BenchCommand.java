package dev.mely.examples.sfs;

import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.examples.PolicyConverter;
import dev.mely.examples.SizeConverter;
import dev.mely.examples.service.CoreTable;
import dev.mely.nio.Nio;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sfs bench}: the papers' measurement, as a command. */
@Command(
    name = "bench",
    description = {
      "Has many clients read a large file at the same time, as both papers do (Mely, section V-C-2),"
          + " and prints how fast. Without PATH it starts a server of its own in this process."
    },
    sortOptions = false)
final class BenchCommand implements Callable<Integer> {
  private static final Duration LONGEST = Duration.ofHours(1);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      arity = "0..1",
      paramLabel = "PATH",
      converter = ClientCommand.PathConverter.class,
      description = "A file of a server, sfs://KEY@HOST:PORT/PATH, at least as long as --size.")
  private @Nullable RemotePath path;

  @Option(names = "--key", paramLabel = "FILE", description = "This client's key file, with PATH.")
  private @Nullable Path key;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "16",
      description = "How many clients read (default: ${DEFAULT-VALUE}).")
  private int clients = 16;

  @Option(
      names = "--size",
      paramLabel = "BYTES",
      defaultValue = "200MB",
      converter = SizeConverter.class,
      description = "How much each reads, such as 200MB or 64KiB (default: ${DEFAULT-VALUE}).")
  private long size;

  @Option(
      names = "--client-cores",
      paramLabel = "N",
      defaultValue = "0",
      description = "How many cores the clients use together (default: all).")
  private int clientCores;

  @Option(
      names = "--cores",
      paramLabel = "N",
      split = ",",
      defaultValue = "0",
      description =
          "Without PATH: how many cores the server uses (default: all). Several, as in 1,2:"
              + " side by side.")
  private List<Integer> cores = List.of(0);

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      split = ",",
      converter = PolicyConverter.class,
      defaultValue = "all",
      description =
          "Without PATH: how the server's idle cores steal, as in 'sfs serve'. Several, as in"
              + " off,base,all: side by side.")
  private List<StealPolicy> policies = List.of(StealPolicy.ALL);

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "5",
      description =
          "Side by side: so many rounds count, after one that warms up (default:"
              + " ${DEFAULT-VALUE}).")
  private int rounds;

  @Override
  public Integer call() {
    if (clients < 1 || clients > 10_000) {
      throw new ParameterException(spec.commandLine(), "clients must be 1 to 10000");
    }
    if (path != null && key == null) {
      throw new ParameterException(spec.commandLine(), "with PATH there must be a --key");
    }
    if (rounds < 1 || rounds > 1_000) {
      throw new ParameterException(spec.commandLine(), "rounds must be 1 to 1000");
    }
    PrintWriter out = spec.commandLine().getOut();
    try {
      if (path != null && key != null) {
        print(out, measure(path, Identity.load(key)));
      } else {
        withServer(out);
      }
      return 0;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      spec.commandLine().getErr().println("sfs: " + Printable.of(String.valueOf(e.getMessage())));
      spec.commandLine().getErr().flush();
      return 1;
    }
  }

  private void withServer(PrintWriter out) throws IOException {
    List<Trial.Setting> settings = new ArrayList<>();
    for (int n : cores) {
      for (StealPolicy policy : policies) {
        settings.add(new Trial.Setting(policy, n));
      }
    }
    try (Trial trial = new Trial(clients, size, clientCores)) {
      if (settings.size() == 1) {
        Trial.Outcome outcome =
            trial.run(
                settings.get(0),
                server -> {
                  out.println("sfs: " + server.description());
                  out.flush();
                });
        print(out, outcome.results());
        out.print(CoreTable.format(CoreTable.rows(outcome.statistics())));
        out.flush();
      } else {
        compare(trial, settings, out);
      }
    }
  }

  private void compare(Trial trial, List<Trial.Setting> settings, PrintWriter out)
      throws IOException {
    PrintWriter err = spec.commandLine().getErr();
    TrialTable table = new TrialTable();
    for (int round = 0; round <= rounds; round++) {
      for (Trial.Setting setting : settings) {
        err.printf(
            Locale.ROOT,
            "sfs: %s, %s%n",
            round == 0 ? "warm-up" : "round " + round + " of " + rounds,
            setting);
        err.flush();
        Trial.Outcome outcome = trial.run(setting, server -> {});
        if (round > 0) {
          table.add(setting, outcome);
        }
      }
    }
    out.printf(
        Locale.ROOT,
        "sfs: %d clients read %,d bytes each, in one process with the server:%n",
        clients,
        size);
    table.print(out);
  }

  private List<Bench.Result> measure(RemotePath target, Identity self) throws IOException {
    List<SfsClient> connected = new ArrayList<>();
    try (Nio nio = Nio.start(Mely.builder().cores(clientCores).pinned(false))) {
      try {
        Trial.connect(nio, target, self, clients, connected);
        return Bench.run(connected, target.path(), size, LONGEST);
      } finally {
        connected.forEach(SfsClient::close);
      }
    }
  }

  private static void print(PrintWriter out, List<Bench.Result> results) {
    double sum = 0;
    double least = Double.MAX_VALUE;
    double most = 0;
    for (Bench.Result result : results) {
      double rate = result.megabytesPerSecond();
      sum += rate;
      least = Math.min(least, rate);
      most = Math.max(most, rate);
    }
    out.printf(
        Locale.ROOT,
        "sfs: %d clients read %,d bytes each: %.1f MB/s in all, %.1f to %.1f MB/s each%n",
        results.size(),
        results.get(0).bytes(),
        sum,
        least,
        most);
    out.flush();
  }
}
