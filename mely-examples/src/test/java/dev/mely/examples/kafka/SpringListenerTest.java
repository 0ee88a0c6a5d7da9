package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.kafka.annotation.EnableKafka;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.ConcurrentKafkaListenerContainerFactory;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;

/** The guide's recipe for Spring Kafka: a listener that returns what its key's color does. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SpringListenerTest {
  private static final int RECORDS = 100;
  private static final long PATIENCE_SECONDS = 120;

  /** The keys' first records wait for each other: so they run at once. */
  private static final class Bookings {
    final Map<String, List<Integer>> done = new ConcurrentHashMap<>();
    private final CyclicBarrier atOnce = new CyclicBarrier(2);

    void book(String customer, int number) {
      if (number == 0) {
        try {
          atOnce.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (Exception e) {
          throw new IllegalStateException("one at a time", e);
        }
      }
      done.computeIfAbsent(customer, unused -> new CopyOnWriteArrayList<>()).add(number);
    }
  }

  /** A user's bean. */
  public static final class Listener {
    private final Mely mely;
    private final Bookings bookings;

    Listener(Mely mely, Bookings bookings) {
      this.mely = mely;
      this.bookings = bookings;
    }

    @KafkaListener(topics = "orders")
    CompletableFuture<Void> book(ConsumerRecord<String, String> record) {
      return CompletableFuture.runAsync(
          () -> book(record.key(), record.value()), mely.executor(mely.color(record.key())));
    }

    private void book(String customer, String order) {
      bookings.book(customer, Integer.parseInt(order));
    }
  }

  /** What Spring Boot would find out by itself. */
  @EnableKafka
  static class Application {}

  @Test
  void keysRunAtOnceEachInItsOrderAndAllIsCommitted(@TempDir Path folder) throws Exception {
    Bookings bookings = new Bookings();
    try (LocalBroker broker = LocalBroker.start(folder);
        Admin admin = Admin.create(Map.of("bootstrap.servers", broker.address()));
        Mely mely = Mely.builder().cores(2).build()) {
      admin.createTopics(List.of(new NewTopic("orders", 1, (short) 1))).all().get();
      send(broker.address());
      try (AnnotationConfigApplicationContext spring = new AnnotationConfigApplicationContext()) {
        spring.register(Application.class);
        spring.registerBean("listener", Listener.class, () -> new Listener(mely, bookings));
        spring.registerBean(
            "kafkaListenerContainerFactory",
            ConcurrentKafkaListenerContainerFactory.class,
            () -> containers(broker.address()));
        spring.refresh();
        Awaitility.await()
            .atMost(PATIENCE_SECONDS, TimeUnit.SECONDS)
            .until(() -> committed(admin) == 2 * RECORDS);
      }
    }
    List<Integer> inOrder = IntStream.range(0, RECORDS).boxed().toList();
    assertEquals(Map.of("ann", inOrder, "bob", inOrder), bookings.done);
  }

  private static ConcurrentKafkaListenerContainerFactory<String, String> containers(
      String address) {
    ConcurrentKafkaListenerContainerFactory<String, String> containers =
        new ConcurrentKafkaListenerContainerFactory<>();
    containers.setConsumerFactory(
        new DefaultKafkaConsumerFactory<>(
            Map.of(
                "bootstrap.servers", address,
                "group.id", "bookings",
                "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer()));
    return containers;
  }

  private static void send(String address) {
    try (Producer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", address), new StringSerializer(), new StringSerializer())) {
      for (int i = 0; i < RECORDS; i++) {
        for (String customer : List.of("ann", "bob")) {
          producer.send(new ProducerRecord<>("orders", customer, "" + i));
        }
      }
    }
  }

  private static long committed(Admin admin) throws Exception {
    return admin
        .listConsumerGroupOffsets("bookings")
        .partitionsToOffsetAndMetadata()
        .get()
        .values()
        .stream()
        .mapToLong(OffsetAndMetadata::offset)
        .sum();
  }
}
