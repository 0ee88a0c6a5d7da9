package dev.mely.examples.sws;

import dev.mely.examples.SizeConverter;
import java.io.IOException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sws}: serves a folder until it is interrupted. */
@Command(
    name = "sws",
    description = "Serves a folder over HTTP/1.1 until it is interrupted (Ctrl-C).")
public final class SwsCommand extends WebCommand {
  @Option(
      names = "--transport",
      paramLabel = "NAME",
      converter = TransportConverter.class,
      description = "auto, nio or epoll (default: auto, which is epoll where there is one).")
  private Transport transport = Transport.AUTO;

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "Bytes of live buffers, as 4MiB, at which a core stops reading until some have been freed"
              + " (default: no bound).")
  private long workingSet;

  /** Made by the command line alone. */
  public SwsCommand() {}

  @Override
  protected WebServer start() throws IOException {
    return SwsServer.start(config.transport(transport).workingSet(workingSet), stages.isOn());
  }

  static final class TransportConverter extends NameConverter<Transport> {
    TransportConverter() {
      super("transport", Transport.values());
    }
  }
}
