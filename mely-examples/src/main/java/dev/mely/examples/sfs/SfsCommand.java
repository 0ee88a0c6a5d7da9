package dev.mely.examples.sfs;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code sfs}: the secure file server, its client, and the papers' benchmark. */
@Command(
    name = "sfs",
    description = {
      "A secure file server and its client. Both prove who they are by keys: the server's is part"
          + " of the path, sfs://KEY@HOST:PORT/PATH, which the server prints when it starts."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ServeCommand.class,
      KeygenCommand.class,
      LsCommand.class,
      GetCommand.class,
      PutCommand.class,
      MvCommand.class,
      RmCommand.class,
      BenchCommand.class
    },
    footerHeading = "%nTo try it:%n",
    footer = {
      "  sfs keygen server.key",
      "  sfs keygen client.key",
      "  echo \"$(sfs keygen --show client.key) rw me\" > clients",
      "  sfs serve --root DIR --key server.key --clients clients",
      "  sfs ls --key client.key sfs://KEY@127.0.0.1:4430/"
    })
public final class SfsCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();

  /** Made by the command line alone. */
  public SfsCommand() {}

  /** Without a subcommand there is nothing to run. */
  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Name what to do: serve, keygen, ls, get, put, mv, rm or bench.");
  }
}
