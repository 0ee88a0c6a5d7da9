package dev.mely.examples.counter;

import dev.mely.Mely;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code counter}: see {@link CounterProtocol}. */
@Command(
    name = "counter",
    description =
        "Counts: a line '+' increments, '?' reads (nc 127.0.0.1 7008), until it is "
            + "interrupted (Ctrl-C).",
    sortOptions = false)
public final class CounterCommand extends ServiceCommand {
  private static final int PORT = 7008;

  /** Made by the command line alone. */
  public CounterCommand() {
    super(CounterCommand::protocol, PORT);
  }

  private static Protocol protocol(Mely mely) {
    return new CounterProtocol(mely.executor(mely.newColor()));
  }
}
