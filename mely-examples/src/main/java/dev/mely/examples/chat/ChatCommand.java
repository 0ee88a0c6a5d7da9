package dev.mely.examples.chat;

import dev.mely.Mely;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code chat}: see {@link ChatProtocol}. */
@Command(
    name = "chat",
    description =
        "A chat room: the first line is a name, the others are heard by all (nc 127.0.0.1 "
            + "7009), until it is interrupted (Ctrl-C).",
    sortOptions = false)
public final class ChatCommand extends ServiceCommand {
  private static final int PORT = 7009;

  /** Made by the command line alone. */
  public ChatCommand() {
    super(ChatCommand::protocol, PORT, ChatProtocol.SEND_BUFFER);
  }

  private static Protocol protocol(Mely mely) {
    return new ChatProtocol(mely.executor(mely.newColor()));
  }
}
