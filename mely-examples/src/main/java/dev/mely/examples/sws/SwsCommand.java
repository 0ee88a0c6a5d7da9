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
      description = "auto, nio or epoll (default: auto, which is epoll where available).")
  private Transport transport = Transport.AUTO;

  @Option(
      names = "--working-set",
      paramLabel = "SIZE",
      converter = SizeConverter.class,
      description =
          "Above this size of live buffers, such as 4MiB, a core stops reading until some have been"
              + " freed (default: no limit).")
  private long workingSet;

  /** For picocli. */
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
