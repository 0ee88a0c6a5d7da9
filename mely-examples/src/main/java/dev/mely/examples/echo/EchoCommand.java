package dev.mely.examples.echo;

import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code echo}: see {@link EchoProtocol}. */
@Command(
    name = "echo",
    description = "Sends back every byte (nc 127.0.0.1 7007), until it is interrupted (Ctrl-C).")
public final class EchoCommand extends ServiceCommand {
  /** For picocli. */
  public EchoCommand() {
    super(mely -> new EchoProtocol(), 7007, 0);
  }
}
