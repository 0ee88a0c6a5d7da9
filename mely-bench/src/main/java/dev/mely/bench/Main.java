package dev.mely.bench;

import dev.mely.bench.kafka.KafkaCommand;
import dev.mely.bench.kafka.KafkaHotKeyCommand;
import dev.mely.bench.kafka.KafkaMemoryCommand;
import dev.mely.bench.micro.MicroCommand;
import dev.mely.bench.runtime.BlockedCommand;
import dev.mely.bench.runtime.IdleCommand;
import dev.mely.bench.runtime.OrderCommand;
import dev.mely.bench.server.CompareCommand;
import dev.mely.bench.server.EchoCommand;
import dev.mely.bench.server.EveCommand;
import dev.mely.bench.server.MissesCommand;
import dev.mely.bench.server.SfsCommand;
import dev.mely.bench.server.SkewCommand;
import dev.mely.bench.server.SlowReadersCommand;
import dev.mely.bench.server.StartupCommand;
import dev.mely.bench.server.StingyCommand;
import dev.mely.bench.server.StreamsCommand;
import dev.mely.bench.server.SwsCommand;
import dev.mely.bench.server.Web03Command;
import dev.mely.bench.sim.SimCommand;
import dev.mely.bench.soak.SoakCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.stream.Stream;
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
    footer = {
      "",
      "All arguments go to JMH if the first one is an option with one dash (except -h and -V), or"
          + " a regular expression that matches a JMH benchmark. 'jmh -h' lists JMH's options."
          + " For a benchmark with the name of a command, use 'jmh unbalanced' or"
          + " '\\.unbalanced$'.",
    },
    subcommands = {
      CompareCommand.class,
      EchoCommand.class,
      SkewCommand.class,
      StreamsCommand.class,
      EveCommand.class,
      SwsCommand.class,
      Web03Command.class,
      SfsCommand.class,
      StingyCommand.class,
      SlowReadersCommand.class,
      MissesCommand.class,
      StartupCommand.class,
      KafkaCommand.class,
      KafkaMemoryCommand.class,
      KafkaHotKeyCommand.class,
      ReportCommand.class,
      OrderCommand.class,
      IdleCommand.class,
      BlockedCommand.class,
      SoakCommand.class,
      SimCommand.class
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  private Main() {}

  /**
   * Runs a benchmark.
   *
   * @param args the command line; {@code --help} explains it
   */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // the same figures and file names in every locale
    // Tables contain characters that the locale's encoding may lack.
    System.setOut(
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8));
    System.exit(run(new PrintWriter(System.err, true, StandardCharsets.UTF_8), args));
  }

  /** Runs a command line; returns the exit code: 0, 1 after a failure, 2 for wrong arguments. */
  static int run(PrintWriter err, String... args) {
    CommandLine jmh = new CommandLine(new JmhCommand());
    jmh.setUnmatchedOptionsArePositionalParams(true);
    CommandLine all =
        new CommandLine(new Main())
            .addSubcommand("micro", new MicroCommand("unbalanced"), "unbalanced")
            .addSubcommand(jmh)
            .setErr(err)
            .setParameterExceptionHandler(Main::explain);
    return all.execute(isForJmh(all, args) ? asJmhCommand(args) : args);
  }

  /** Prints what is wrong and how to get help; not the help, which would push it out of sight. */
  private static int explain(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + wrong.getMessage());
    err.println("Try '" + name + " --help'.");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /**
   * Whether a command line is JMH's: the first argument is not a command, but an option or
   * benchmark of JMH.
   */
  private static boolean isForJmh(CommandLine all, String... args) {
    if (args.length == 0 || all.getSubcommands().containsKey(args[0])) {
      return false;
    }
    // JMH's options: one dash, and not an option of this class: "-l", "-rf", "-f1", but not "--x".
    return args[0].startsWith("-")
        ? !args[0].startsWith("--") && !all.getCommandSpec().optionsMap().containsKey(args[0])
        : JmhCommand.finds(args[0]);
  }

  private static String[] asJmhCommand(String... args) {
    return Stream.concat(Stream.of(JmhCommand.NAME), Stream.of(args)).toArray(String[]::new);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "which benchmark?");
  }
}
