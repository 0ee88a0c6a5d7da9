package dev.mely.examples.echo;

import dev.mely.Mely;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code echo}: see {@link EchoProtocol}. */
@Command(
    name = "echo",
    description = "Sends back what it gets (nc 127.0.0.1 7007), until it is interrupted (Ctrl-C).",
    sortOptions = false)
public final class EchoCommand extends ServiceCommand {
  private static final int PORT = 7007;

  /** Made by the command line alone. */
  public EchoCommand() {
    super(EchoCommand::protocol, PORT);
  }

  private static Protocol protocol(Mely mely) {
    return new EchoProtocol();
  }
}
