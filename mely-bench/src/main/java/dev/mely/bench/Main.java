package dev.mely.bench;

import dev.mely.bench.micro.UnbalancedCommand;
import dev.mely.bench.server.EchoCommand;
import dev.mely.bench.server.SkewCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line: one subcommand per benchmark. */
@Command(
    name = "benchmarks",
    description = "Benchmarks of Mely: each compares its configurations side by side in one run.",
    mixinStandardHelpOptions = true,
    versionProvider = Versions.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {UnbalancedCommand.class, EchoCommand.class, SkewCommand.class})
public final class Main implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private Main() {}

  /**
   * Runs a benchmark.
   *
   * @param args the command line; {@code --help} explains it
   */
  public static void main(String[] args) {
    System.exit(run(new PrintWriter(System.err, true, StandardCharsets.UTF_8), args));
  }

  /** Runs a command line; returns its exit code: 0, 1 after a failure, 2 for a misuse. */
  static int run(PrintWriter err, String... args) {
    CommandLine jmh = new CommandLine(new JmhCommand());
    jmh.setUnmatchedOptionsArePositionalParams(true);
    return new CommandLine(new Main()).addSubcommand(jmh).setErr(err).execute(args);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which benchmark?");
  }
}
