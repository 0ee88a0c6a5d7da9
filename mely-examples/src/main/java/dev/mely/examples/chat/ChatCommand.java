package dev.mely.examples.chat;

import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code chat}: see {@link ChatProtocol}. */
@Command(
    name = "chat",
    description =
        "A chat room: a client's first line is its name, the others go to all guests"
            + " (nc 127.0.0.1 7009), until it is interrupted (Ctrl-C).")
public final class ChatCommand extends ServiceCommand {
  /** For picocli. */
  public ChatCommand() {
    super(mely -> new ChatProtocol(mely.executor(mely.newColor())), 7009, ChatProtocol.SEND_BUFFER);
  }
}
