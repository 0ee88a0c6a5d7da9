package dev.mely.examples.kv;

import dev.mely.Mely;
import dev.mely.examples.service.Protocol;
import dev.mely.examples.service.ServiceCommand;
import picocli.CommandLine.Command;

/** {@code kv}: keeps keys and values in memory for clients of the Redis protocol (RESP2). */
@Command(
    name = "kv",
    description =
        "A key-value server that speaks the Redis protocol (redis-cli -p 6379), until it is "
            + "interrupted (Ctrl-C).")
public final class KvCommand extends ServiceCommand {
  /** For picocli. */
  public KvCommand() {
    super(KvCommand::protocol, 6379, 0);
  }

  /**
   * Makes the protocol of one server.
   *
   * @param mely creates the colors of its keys
   * @return the protocol, with an empty store
   */
  public static Protocol protocol(Mely mely) {
    Store store = new Store(mely);
    return connection -> new Client(connection, mely, store);
  }
}
