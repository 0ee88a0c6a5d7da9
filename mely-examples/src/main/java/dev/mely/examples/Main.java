package dev.mely.examples;

import dev.mely.examples.chat.ChatCommand;
import dev.mely.examples.counter.CounterCommand;
import dev.mely.examples.demo.DemoCommand;
import dev.mely.examples.echo.EchoCommand;
import dev.mely.examples.kafka.KafkaCommand;
import dev.mely.examples.kv.KvCommand;
import dev.mely.examples.orders.OrdersCommand;
import dev.mely.examples.proxy.ProxyCommand;
import dev.mely.examples.sfs.SfsCommand;
import dev.mely.examples.stingy.StingyCommand;
import dev.mely.examples.sws.SwsCommand;
import dev.mely.examples.sws.SwsCoreCommand;
import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The command line of all examples: one subcommand an application. */
@Command(
    name = "mely-examples",
    description = "Example applications of the Mely event runtime.",
    mixinStandardHelpOptions = true,
    versionProvider = VersionProvider.class,
    scope = ScopeType.INHERIT,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      SwsCommand.class,
      SwsCoreCommand.class,
      SfsCommand.class,
      ProxyCommand.class,
      KvCommand.class,
      EchoCommand.class,
      CounterCommand.class,
      ChatCommand.class,
      OrdersCommand.class,
      KafkaCommand.class,
      StingyCommand.class
    })
public final class Main implements Runnable {
  /** Stands for bytes that the JVM could not decode in the locale's encoding. */
  private static final char UNREADABLE = '\ufffd';

  @Spec private CommandSpec spec = CommandSpec.create();

  /** For picocli. */
  Main() {}

  /**
   * Runs one example; ends the process with 0 if all went well, 1 if the application failed, 2 if
   * the command line is wrong.
   *
   * @param args a subcommand and its options
   */
  public static void main(String[] args) {
    Locale.setDefault(Locale.ROOT); // the same output in every locale
    String encoding = System.getProperty("sun.jnu.encoding", "UTF-8");
    if (!encoding.equals("UTF-8") && String.join("", args).indexOf(UNREADABLE) >= 0) {
      System.err.println(
          "mely-examples: the locale's encoding, "
              + encoding
              + ", lacks characters of the arguments; set LC_ALL=C.UTF-8");
      System.exit(2);
    }
    System.exit(commandLine().execute(args));
  }

  /** The parser, with every subcommand; tests give it their own output. */
  static CommandLine commandLine() {
    return new CommandLine(new Main()).setParameterExceptionHandler(Main::explain);
  }

  /** Prints one line that names the mistake, without the help. */
  private static int explain(ParameterException wrong, String[] args) {
    CommandLine command = wrong.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    PrintWriter err = command.getErr();
    err.println(name + ": " + wrong.getMessage());
    err.println("Try '" + name + " --help'.");
    err.flush();
    return command.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Without a subcommand there is nothing to run. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name an example to run, such as sws.");
  }
}
