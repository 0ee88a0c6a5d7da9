package dev.mely.bench.server;

import dev.mely.bench.Json;
import java.io.IOException;
import java.util.List;
import java.util.Objects;

/** A {@link GrpcClientMain} in a JVM of its own, whose event loop the servers do not share. */
final class GrpcClient implements StreamsClient {
  private final JvmProcess jvm;

  GrpcClient(List<String> jvmArgs) throws IOException {
    jvm = JvmProcess.start(GrpcClientMain.class, jvmArgs);
  }

  @Override
  public Result run(Load load) throws IOException {
    return Objects.requireNonNull(Json.read(jvm.ask(Json.line(load)), Result.class));
  }

  @Override
  public void close() throws IOException {
    jvm.close();
  }
}
