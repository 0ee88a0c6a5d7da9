package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.kafka.KafkaColors;
import dev.mely.kafka.KafkaColorsBuilder;
import dev.mely.kafka.KafkaColorsMetrics;
import dev.mely.kafka.Progress;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * docs/scale-out.md: its pieces of Java. Kafka's own mocks are the brokers; the program that needs
 * some is only compiled. See {@link SnippetsTest}.
 */
@Timeout(300)
class ScaleOutGuideTest {
  private static final TopicPartition ORDERS = new TopicPartition("orders", 0);

  private final BlockingQueue<String> seen = new LinkedBlockingQueue<>();

  static final class Bookings {
    private static final String STRINGS =
        "org.apache.kafka.common.serialization.StringDeserializer";

    public static void main(String[] arguments) {
      Map<String, String> properties =
          Map.of(
              "bootstrap.servers", "localhost:9092",
              "group.id", "bookings",
              "auto.offset.reset", "earliest",
              "key.deserializer", STRINGS,
              "value.deserializer", STRINGS);
      try (Mely mely = Mely.builder().build()) {
        KafkaColors orders =
            KafkaColors.<String, String>builder(mely, properties)
                .topics("orders")
                .handler(
                    record -> {
                      book(record.key(), record.value());
                    })
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(orders::close)); // on SIGTERM
        orders.ended().join(); // throws if a failure has stopped it
      }
    }

    static void book(String customer, String order) {
      System.out.println(customer + " orders " + order);
    }
  }

  private final class Client {
    CompletableFuture<Void> send(String order) {
      seen.add("sent " + order);
      return CompletableFuture.completedFuture(null);
    }
  }

  @Test
  void recordsAreSentAndProgressIsSeen() throws Exception {
    Client client = new Client();
    try (Mely mely = Mely.builder().build();
        KafkaColors orders =
            builder(mely)
                .asyncHandler(record -> client.send(record.value()).orTimeout(5, TimeUnit.SECONDS))
                .start()) {
      assertEquals("sent a book", seen.take());
      Progress progress = orders.progress();
      boolean healthy = progress.oldest().compareTo(Duration.ofMinutes(1)) < 0;
      assertTrue(healthy);
      MeterRegistry registry = new SimpleMeterRegistry();
      new KafkaColorsMetrics(orders, Tags.of("topic", "orders")).bindTo(registry);
      String customer = "Ada";
      mely.execute(
          mely.color(customer), () -> cancel(customer)); // never beside a record of this customer
      assertEquals("canceled Ada", seen.take());
      orders.stop();
      orders.ended().join();
      assertEquals(1, orders.progress().records());
      assertEquals(
          1, registry.get("mely.kafka.records").tag("topic", "orders").functionCounter().count());
      for (String name : List.of("lag", "oldest", "pending", "retries")) {
        registry.get("mely.kafka." + name).meter(); // throws if there is none
      }
    }
  }

  private void cancel(String customer) {
    seen.add("canceled " + customer);
  }

  @Test
  void whatHasFailedGoesToTheDeadLetters() throws Exception {
    MockProducer<byte[], byte[]> producer =
        new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    try (Mely mely = Mely.builder().build();
        KafkaColors orders =
            builder(mely)
                .handler(
                    record -> {
                      seen.add("tried " + record.value());
                      throw new IllegalStateException("sold out");
                    })
                .producer(() -> producer)
                .retries(8, Duration.ofMillis(100), Duration.ofSeconds(10))
                .deadLetters() // to the topic orders-dlt
                .retries(1, Duration.ofMillis(1), Duration.ofMillis(1)) // for a test
                .start()) {
      assertEquals("tried a book", seen.take());
      assertEquals("tried a book", seen.take());
      orders.stop();
      orders.ended().join();
      assertEquals(1, orders.progress().deadLetters());
      ProducerRecord<byte[], byte[]> letter = producer.history().get(0);
      assertEquals("orders-dlt", letter.topic());
      assertEquals("a book", new String(letter.value(), StandardCharsets.UTF_8));
    }
  }

  private static KafkaColorsBuilder<String, String> builder(Mely mely) {
    Map<String, String> properties =
        Map.of(
            "bootstrap.servers",
            "localhost:9092",
            "group.id",
            "bookings",
            "key.deserializer",
            Bookings.STRINGS,
            "value.deserializer",
            Bookings.STRINGS);
    return KafkaColors.<String, String>builder(mely, properties)
        .topics("orders")
        .consumer(given -> consumer());
  }

  /** Ada's order of a book is in the topic. */
  private static Consumer<byte[], byte[]> consumer() {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.schedulePollTask(
        () -> {
          consumer.updateBeginningOffsets(Map.of(ORDERS, 0L));
          consumer.updateEndOffsets(Map.of(ORDERS, 1L));
          consumer.rebalance(List.of(ORDERS));
          consumer.addRecord(new ConsumerRecord<>("orders", 0, 0, bytes("Ada"), bytes("a book")));
        });
    return consumer;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
