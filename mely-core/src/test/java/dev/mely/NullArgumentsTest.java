package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.kafka.KafkaColors;
import dev.mely.kafka.KafkaColorsBuilder;
import dev.mely.kit.NullArguments;
import dev.mely.nio.Nio;
import dev.mely.nio.Output;
import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.pool.PoolObject;
import dev.mely.stage.Plan;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An argument that must not be null is named by the exception. */
@Timeout(300)
class NullArgumentsTest {
  @TempDir private Path folder;

  @Test
  void eachParameterIsNamed() throws Exception {
    Pool pool = new Pool(List.of(new PoolObject("object", 8, 1)));
    Pipe pipe = Pipe.open();
    pipe.sink().configureBlocking(false);
    Path path = folder.resolve("file");
    try (Nio nio = Nio.start(Mely.builder().cores(1).pinned(false));
        SocketChannel channel = SocketChannel.open();
        ServerSocketChannel server =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        FileChannel file =
            FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Mely mely = nio.mely();
      KafkaColors consumer = orders(mely).topics("orders").handler(record -> {}).start();
      Handler.OfAction<Object> handler = Handler.of(e -> {});
      Color color = mely.newColor();
      Output output = nio.output(pipe.sink(), color, handler, "event");
      channel.configureBlocking(false);
      server.configureBlocking(false);
      NullArguments check =
          new NullArguments("OfAction.handle") // the runtime calls it
              .value(Mely.class, () -> mely)
              .value(MelyBuilder.class, Mely::builder)
              .value(Inspection.class, mely::inspect)
              .value(Color.class, () -> color)
              .value(Handler.class, () -> handler)
              .value(Handler.OfAction.class, () -> handler)
              .value(Permissions.class, () -> Permissions.read(color))
              .value(StealPolicy.class, () -> StealPolicy.ALL)
              .value(Emitter.class, mely::newEmitter)
              .value(Fork.class, mely::fork)
              .value(Nio.class, () -> nio)
              .value(Output.class, () -> output)
              .value(SelectableChannel.class, () -> channel)
              .value(SocketChannel.class, () -> channel)
              .value(ServerSocketChannel.class, () -> server)
              .value(FileChannel.class, () -> file)
              .value(SocketAddress.class, server::getLocalAddress)
              .value(ByteBuffer.class, () -> ByteBuffer.allocate(8))
              .value(Pool.class, () -> pool)
              .value(Instance.class, () -> pool.take(0))
              .value(Properties.class, Properties::new)
              .value(Pattern.class, () -> Pattern.compile("orders"))
              .value(KafkaColorsBuilder.class, () -> orders(mely))
              .value(KafkaColors.class, () -> consumer)
              .value(Plan.class, () -> new Plan(Map.of()))
              .value(Plan.Instances.class, () -> new Plan.Instances(1, 1, Set.of("stage")));
      // In a handler, or nothing could fork.
      List<String> faults = mely.submit(color, check::faults).get(250, TimeUnit.SECONDS);
      assertEquals("", String.join("\n", faults));
      assertTrue(check.calls() > 100, () -> check.calls() + " calls");
      consumer.close();
    } finally {
      pipe.source().close();
      pipe.sink().close();
      pool.close();
    }
  }

  /** Has no records; without the wait its thread would take a CPU. */
  private static final class Quiet extends MockConsumer<byte[], byte[]> {
    Quiet() {
      super("earliest");
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      return super.poll(timeout);
    }
  }

  private static KafkaColorsBuilder<String, String> orders(Mely mely) {
    Map<String, Object> properties =
        Map.of(
            "bootstrap.servers",
            "localhost:9092",
            "group.id",
            "orders",
            "key.deserializer",
            StringDeserializer.class,
            "value.deserializer",
            StringDeserializer.class);
    return KafkaColors.<String, String>builder(mely, properties).consumer(all -> new Quiet());
  }

  @Test
  void aColorAmongSeveralIsNamed() {
    Color[] none = {null};
    assertNames("color", () -> Permissions.write(none));
    assertNames("color", () -> Permissions.none().andRead(none));
    assertNames("heuristic", () -> StealPolicy.OFF.with((StealPolicy.Heuristic) null));
  }

  @Test
  void theHandlerThatAnotherOneIsLikeIsNamed() {
    assertNames(
        "like",
        () ->
            new Handler<Object>((Handler<?>) null) {
              @Override
              public void handle(Object event) {}
            });
  }

  @SuppressWarnings("ThrowableNotThrown")
  private static void assertNames(String parameter, Runnable call) {
    assertEquals(parameter, assertThrows(NullPointerException.class, call::run).getMessage());
  }
}
