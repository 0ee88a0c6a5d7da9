package dev.mely.examples.counter;

import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code counter}: see {@link CounterProtocol}. */
@Command(
    name = "counter",
    description =
        "A shared counter: a line '+' increments it, '?' reads it (nc 127.0.0.1 7008), until it"
            + " is interrupted (Ctrl-C).")
public final class CounterCommand extends ServiceCommand {
  /** For picocli. */
  public CounterCommand() {
    super(mely -> new CounterProtocol(mely.executor(mely.newColor())), 7008, 0);
  }
}
