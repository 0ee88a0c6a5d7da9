package dev.mely.bench.server;

import dev.mely.bench.Json;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** A server in a JVM of its own: {@link ServerMain} or {@link StreamsMain}. */
final class ServerProcess implements Server {
  private final JvmProcess jvm;
  private final int port;

  private ServerProcess(JvmProcess jvm) throws IOException {
    this.jvm = jvm;
    this.port = Integer.parseInt(jvm.answer());
  }

  /** Starts a server and waits until it listens. */
  static ServerProcess start(ServerSetup setup, List<String> jvmArgs) throws IOException {
    return start(ServerMain.class, setup, jvmArgs);
  }

  /**
   * As above.
   *
   * @param main prints its port, and then a {@link Usage} for each line on standard input
   * @param setup its argument, a record
   */
  static ServerProcess start(Class<?> main, Object setup, List<String> jvmArgs) throws IOException {
    JvmProcess jvm = JvmProcess.start(main, jvmArgs, Json.line(setup));
    try {
      return new ServerProcess(jvm);
    } catch (IOException | RuntimeException e) {
      jvm.close();
      throw e;
    }
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public Usage usage() throws IOException {
    return Objects.requireNonNull(Json.read(jvm.ask(""), Usage.class));
  }

  @Override
  public void close() throws IOException {
    jvm.close();
  }
}
