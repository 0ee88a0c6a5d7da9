package dev.mely.bench.server;

import dev.mely.bench.Json;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.util.Objects;

/**
 * A server of {@link StreamsCommand}. Prints its port; prints a {@link Usage} for each line on
 * standard input; ends at the end of the input.
 */
final class StreamsMain {
  private StreamsMain() {}

  /**
   * Serves until standard input ends.
   *
   * @param args a {@link StreamsSetup}, as JSON
   */
  public static void main(String[] args) throws IOException, InterruptedException {
    StreamsSetup setup = Objects.requireNonNull(Json.read(args[0], StreamsSetup.class));
    LoopThreads threads = new LoopThreads();
    EventLoopGroup group =
        setup.offload().group().start(setup.transport(), setup.cores(), false, threads);
    JvmProcess.say(listen(setup, group));
    // Memory is not watched: all servers of a run are there all the time.
    ServerMain.answer(threads, () -> Footprint.NONE, () -> Steals.of(group));
    System.exit(0);
  }

  /** Starts a server on a group. Returns the port. */
  static int listen(StreamsSetup setup, EventLoopGroup group)
      throws IOException, InterruptedException {
    StreamAnswer.prepare();
    Offload offload = setup.offload();
    Transport transport = setup.transport();
    int cores = setup.cores();
    return setup.protocol() == Protocol.GRPC
        ? GrpcService.start(offload, transport, group, cores)
        : ServerMain.bind(
            ServerMain.bootstrap(transport, group, Http2Service.start(offload, cores)));
  }
}
