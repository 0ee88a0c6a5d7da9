package dev.mely.examples.counter;

import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code counter}: see {@link CounterProtocol}. */
@Command(
    name = "counter",
    description =
        "Counts: a line '+' increments, '?' reads (nc 127.0.0.1 7008), until it is "
            + "interrupted (Ctrl-C).")
public final class CounterCommand extends ServiceCommand {
  /** Made by the command line alone. */
  public CounterCommand() {
    super(mely -> new CounterProtocol(mely.executor(mely.newColor())), 7008, 0);
  }
}
