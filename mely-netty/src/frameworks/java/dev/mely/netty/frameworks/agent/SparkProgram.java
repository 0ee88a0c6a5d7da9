package dev.mely.netty.frameworks.agent;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.spark.network.TransportContext;
import org.apache.spark.network.client.RpcResponseCallback;
import org.apache.spark.network.client.TransportClient;
import org.apache.spark.network.client.TransportClientFactory;
import org.apache.spark.network.server.OneForOneStreamManager;
import org.apache.spark.network.server.RpcHandler;
import org.apache.spark.network.server.StreamManager;
import org.apache.spark.network.server.TransportServer;
import org.apache.spark.network.util.MapConfigProvider;
import org.apache.spark.network.util.TransportConf;

/** A server and clients of Spark's network module, without a word of Mely. */
final class SparkProgram {
  private SparkProgram() {}

  public static void main(String[] arguments) throws Exception {
    TransportConf configuration =
        new TransportConf(
            "burn", new MapConfigProvider(Map.of("spark.burn.io.serverThreads", "2")));
    try (TransportContext context = new TransportContext(configuration, new Handler());
        TransportServer server = context.createServer();
        TransportClientFactory clients = context.createClientFactory()) {
      Burn.drive(
          () -> {
            TransportClient client = clients.createUnmanagedClient("localhost", server.getPort());
            return () ->
                StandardCharsets.UTF_8
                    .decode(client.sendRpcSync(ByteBuffer.allocate(1), 60_000))
                    .toString();
          });
    }
    System.exit(0);
  }

  private static final class Handler extends RpcHandler {
    private final StreamManager streams = new OneForOneStreamManager();

    @Override
    public void receive(TransportClient client, ByteBuffer message, RpcResponseCallback callback) {
      callback.onSuccess(StandardCharsets.UTF_8.encode(Burn.here()));
    }

    @Override
    public StreamManager getStreamManager() {
      return streams;
    }
  }
}
