package dev.mely.examples.sfs;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Several settings side by side, as medians and ranges over rounds. */
final class TrialTable {
  private static final String LINE = "%-28s %8s %18s %8s %12s %12s %10s %10s%n";

  private final Map<Trial.Setting, List<Trial.Outcome>> outcomes = new LinkedHashMap<>();

  void add(Trial.Setting setting, Trial.Outcome outcome) {
    outcomes.computeIfAbsent(setting, s -> new ArrayList<>()).add(outcome);
  }

  /** Prints a line a setting; ratios are to the first one, round by round. */
  void print(PrintWriter out) {
    out.printf(
        Locale.ROOT,
        LINE,
        "",
        "MB/s",
        "range",
        "x first",
        "server us/MB",
        "client us/MB",
        "server CPU",
        "steals/1k");
    List<Trial.Outcome> first = outcomes.values().iterator().next();
    outcomes.forEach(
        (setting, all) -> {
          double[] rates = sorted(all, Trial.Outcome::megabytesPerSecond);
          double[] ratios = new double[all.size()];
          for (int i = 0; i < ratios.length; i++) {
            ratios[i] = all.get(i).megabytesPerSecond() / first.get(i).megabytesPerSecond();
          }
          Arrays.sort(ratios);
          out.printf(
              Locale.ROOT,
              LINE,
              setting,
              number(median(rates), 1),
              number(rates[0], 1) + "-" + number(rates[rates.length - 1], 1),
              number(median(ratios), 2),
              number(median(sorted(all, o -> o.serverCpu() / 1e3 / o.megabytes())), 0),
              number(median(sorted(all, o -> o.clientCpu() / 1e3 / o.megabytes())), 0),
              number(median(sorted(all, o -> (double) o.serverCpu() / o.wall())), 2),
              number(median(sorted(all, Trial.Outcome::stealsPerThousand)), 2));
        });
    out.flush();
  }

  private static String number(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private static double[] sorted(List<Trial.Outcome> all, ToDoubleFunction<Trial.Outcome> figure) {
    return all.stream().mapToDouble(figure).sorted().toArray();
  }

  private static double median(double[] sorted) {
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
