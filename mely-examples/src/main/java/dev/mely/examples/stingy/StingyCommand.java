package dev.mely.examples.stingy;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code stingy}: what becomes of a recorded stage graph. */
@Command(
    name = "stingy",
    description =
        "Works with the stages that a server has recorded (--stages graph.json): draws them, and"
            + " plans how much memory they may keep.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {DrawCommand.class, PlanCommand.class})
public final class StingyCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Made by the command line alone. */
  public StingyCommand() {}

  /** Without a subcommand there is nothing to do. */
  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Name what to do: draw or plan.");
  }
}
