package dev.mely.examples.chat;

import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code chat}: see {@link ChatProtocol}. */
@Command(
    name = "chat",
    description =
        "A chat room: the first line is a name, the others are heard by all (nc 127.0.0.1 "
            + "7009), until it is interrupted (Ctrl-C).")
public final class ChatCommand extends ServiceCommand {
  /** Made by the command line alone. */
  public ChatCommand() {
    super(mely -> new ChatProtocol(mely.executor(mely.newColor())), 7009, ChatProtocol.SEND_BUFFER);
  }
}
