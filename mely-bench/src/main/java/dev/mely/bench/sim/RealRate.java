package dev.mely.bench.sim;

import dev.mely.bench.baseline.Configuration;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.micro.Micro;
import dev.mely.bench.micro.Scenario;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How many events a second a program runs on this machine, on threads, in a JVM of its own: what
 * one program leaves behind in compiled code, in its profile and in the heap weighs on the next,
 * and the simulator knows nothing of it.
 *
 * @param micro what is run
 * @param load its events
 * @param configuration which runtime
 * @param cores how many workers
 * @param seconds how long it is measured; its warm-up takes {@link #WARM_UP} times as long
 */
record RealRate(Micro micro, String load, String configuration, int cores, double seconds) {
  private static final String ANSWER = "rate ";
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int FEWEST_ROUNDS = 2;

  /** A play takes so long at least, but for the first ones. */
  private static final long PLAY_NANOS = 50_000_000;

  /** Both CPUs are busy with the program, so that the compilers need seconds. */
  private static final int WARM_UP = 8;

  /** The JVM that measures. */
  public static void main(String[] args) {
    RealRate rate =
        new RealRate(
            Micro.valueOf(args[0]),
            args[1],
            args[2],
            Integer.parseInt(args[3]),
            Double.parseDouble(args[4]));
    System.out.println(ANSWER + rate.measureHere());
  }

  /** Measures, with the same options of the JVM as this one has. */
  double measure() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (!flag.startsWith("-javaagent:")) {
        command.add(flag);
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(RealRate.class.getName());
    command.addAll(List.of(micro.name(), load, configuration));
    command.addAll(List.of(String.valueOf(cores), String.valueOf(seconds)));
    try {
      return read(
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private double read(Process process) throws IOException {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        if (line.startsWith(ANSWER)) {
          return Double.parseDouble(line.substring(ANSWER.length()));
        }
        System.err.println(line); // what a flag of the JVM makes it say
      }
      throw new IllegalStateException("no rate of " + this + " was measured");
    } finally {
      process.destroyForcibly();
    }
  }

  private double measureHere() {
    try (Contestant<?> contestant = Configuration.parse(configuration).start(cores, true)) {
      Scenario scenario = micro.scenario(contestant, load);
      play(scenario, WARM_UP * seconds);
      return play(scenario, seconds);
    }
  }

  /**
   * In plays that last: a thread that is no worker begins each, on a CPU that it takes from one,
   * and the simulated program begins once.
   */
  private static double play(Scenario scenario, double seconds) {
    int rounds = FEWEST_ROUNDS;
    long events = 0;
    long start = System.nanoTime();
    long spent = 0;
    do {
      long before = spent;
      events += scenario.play(rounds);
      spent = System.nanoTime() - start;
      if (spent - before < PLAY_NANOS) {
        rounds *= 2;
      }
    } while (spent < seconds * NANOS_PER_SECOND);
    return events * NANOS_PER_SECOND / spent;
  }
}
