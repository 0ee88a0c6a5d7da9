package dev.mely.examples.kafka;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/** A Kafka broker in this virtual machine, which is its own controller. Thread-safe. */
public final class LocalBroker implements AutoCloseable {
  private static final int ATTEMPTS = 5;
  private static final String SHORTEST_SESSION_MILLIS = "1000";
  private static final String SHORTEST_HEARTBEAT_MILLIS = "100";

  private final KafkaRaftServer server;
  private final String address;

  private LocalBroker(KafkaRaftServer server, String address) {
    this.server = server;
    this.address = address;
  }

  /**
   * Starts a broker, on ports that are free.
   *
   * @param folder an empty folder for its files
   * @return the broker, ready
   * @throws Exception if it cannot write there, or finds no ports
   */
  public static LocalBroker start(Path folder) throws Exception {
    for (int i = 1; ; i++) {
      try {
        return start(folder.resolve("try" + i), freePort(), freePort());
      } catch (RuntimeException e) { // another process has taken a port
        if (i == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static LocalBroker start(Path folder, int port, int controllerPort) throws Exception {
    String address = "127.0.0.1:" + port;
    new Formatter()
        .setClusterId(Uuid.randomUuid().toString())
        .setNodeId(1)
        .addDirectory(folder.toString())
        .setMetadataLogDirectory(folder.toString())
        .setControllerListenerName("CONTROLLER")
        .setReleaseVersion(MetadataVersion.latestProduction())
        .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
        .run();
    Properties settings = new Properties();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put(
        "listeners", "PLAINTEXT://" + address + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("log.dirs", folder.toString());
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("group.initial.rebalance.delay.ms", "0");
    settings.put("share.coordinator.state.topic.replication.factor", "1");
    settings.put("share.coordinator.state.topic.min.isr", "1");
    settings.put("share.coordinator.state.topic.num.partitions", "1");
    // Who wants to see what happens when a consumer dies may ask for a short session.
    settings.put("group.min.session.timeout.ms", SHORTEST_SESSION_MILLIS);
    settings.put("group.consumer.min.session.timeout.ms", SHORTEST_SESSION_MILLIS);
    settings.put("group.consumer.min.heartbeat.interval.ms", SHORTEST_HEARTBEAT_MILLIS);
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(settings), Time.SYSTEM);
    server.startup();
    return new LocalBroker(server, address);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * Returns what clients connect to.
   *
   * @return a host and a port
   */
  public String address() {
    return address;
  }

  /** Ends it, and waits for that. */
  @Override
  public void close() {
    server.shutdown();
    server.awaitShutdown();
  }
}
