package dev.mely.bench.micro;

import dev.mely.bench.Spread;
import dev.mely.bench.Table;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The table of {@code unbalanced}: medians over the JVMs of a configuration. */
final class UnbalancedReport {
  private static final double MILLION = 1e6;
  private static final double THOUSAND = 1e3;

  private final Map<Configuration, List<Sample>> samples;

  UnbalancedReport(Map<Configuration, List<Sample>> samples) {
    this.samples = samples;
  }

  /** The table, and below it what its columns mean. */
  @Override
  public String toString() {
    Table table =
        new Table(
            "configuration",
            "M events/s",
            "× mely",
            "range",
            "steals/1000",
            "stolen µs",
            "steal µs",
            "take-overs/round",
            "parks/round",
            "wake-ups/round",
            "B/event",
            "others CPUs");
    samples.forEach((c, list) -> table.add(row(c, list)));
    return table
        + """

        Medians of the JVMs. × mely: ratio to stealing off, sample by sample, with its range. Per steal:
        stolen µs, time spent in the stolen color at once; steal µs, what the steal cost. A
        take-over is a steal from a core that has been in one handler for milliseconds. A steal of
        fjp-guava is a task taken from another queue; it does not measure the rest.
        others CPUs: what other processes used meanwhile.
        """;
  }

  private String[] row(Configuration c, List<Sample> list) {
    List<Sample> reference = samples.get(Configuration.MELY);
    Spread ratio =
        reference == null
            ? new Spread(Double.NaN, Double.NaN, Double.NaN)
            : Spread.ofRatios(rates(list), rates(reference));
    boolean known = c.isMely();
    return new String[] {
      c.label(),
      Table.number(Spread.of(rates(list)).median() / MILLION, 2),
      Table.number(ratio.median(), 2),
      ratio.range(2),
      median(list, s -> THOUSAND * s.per(Figures::steals, Figures::events), 3),
      known ? median(list, s -> s.per(Figures::stolenNanos, Figures::steals) / THOUSAND, 2) : "–",
      known ? median(list, s -> s.per(Figures::stealNanos, Figures::steals) / THOUSAND, 2) : "–",
      known ? median(list, s -> perRound(s, Figures::takeovers), 2) : "–",
      known ? median(list, s -> perRound(s, Figures::parks), 2) : "–",
      known ? median(list, s -> perRound(s, Figures::wakeups), 2) : "–",
      median(list, s -> s.per(Figures::bytes, Figures::events), 2),
      median(list, s -> Math.max(0, s.others()), 2)
    };
  }

  private static double perRound(Sample sample, ToDoubleFunction<Figures> figure) {
    return Load.EVENTS * sample.per(figure, Figures::events);
  }

  private static double[] rates(List<Sample> list) {
    return list.stream().mapToDouble(Sample::rate).toArray();
  }

  private static String median(List<Sample> list, ToDoubleFunction<Sample> figure, int decimals) {
    double[] values = list.stream().mapToDouble(figure).filter(Double::isFinite).toArray();
    return Table.number(values.length == 0 ? Double.NaN : Spread.of(values).median(), decimals);
  }
}
