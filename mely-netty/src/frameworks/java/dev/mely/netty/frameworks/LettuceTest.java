package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.netty.LeakCounter;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.DefaultEventLoopGroupProvider;
import io.lettuce.core.resource.EpollProvider;
import io.lettuce.core.resource.IOUringProvider;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Flux;

/**
 * Lettuce against a real Redis server. Its channels are of one transport in all of the virtual
 * machine, so the build runs this class twice, see {@link EpollProvider#isAvailable}.
 */
@Timeout(300)
class LettuceTest {
  private static final int COMMANDS = 10_000;

  private static RedisServer server;

  static List<Setting> settings() {
    return Setting.on(EpollProvider.isAvailable());
  }

  /** Without epoll, Lettuce prefers io_uring to NIO, and each of its connections would fail. */
  @BeforeAll
  static void lettuceIsOnEpollOrNio() {
    assertTrue(
        EpollProvider.isAvailable() || !IOUringProvider.isAvailable(),
        "Lettuce has chosen io_uring; set -Dio.lettuce.core.iouring=false");
  }

  @BeforeAll
  static void startServer(@TempDir Path folder) throws Exception {
    server = RedisServer.start(folder);
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  /** All in one flush; the replies and their callbacks come in the order of the commands. */
  @ParameterizedTest
  @MethodSource("settings")
  void pipelinedCommandsKeepTheirOrder(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      Serial serial = new Serial();
      CountDownLatch answered = new CountDownLatch(COMMANDS);
      try (StatefulRedisConnection<String, String> connection = fixture.client.connect()) {
        connection.sync().ping(); // the flush that comes with the activation is over
        RedisAsyncCommands<String, String> commands = connection.async();
        connection.setAutoFlushCommands(false);
        List<RedisFuture<Long>> replies = new ArrayList<>();
        for (int i = 0; i < COMMANDS; i++) {
          int number = i;
          RedisFuture<Long> reply = commands.incr("counter");
          reply.thenRun(
              () -> {
                serial.expectNext(number);
                answered.countDown();
              });
          replies.add(reply);
        }
        connection.flushCommands();
        // Not by waiting for the replies: a thread that waits for one helps to run its callbacks.
        assertTrue(answered.await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
        for (int i = 0; i < COMMANDS; i++) {
          assertEquals(i + 1L, replies.get(i).get());
        }
      }
      serial.assertFaultless(COMMANDS);
    }
  }

  /** Each command is sent when the one before is answered, so that the channel is idle between. */
  @ParameterizedTest
  @MethodSource("settings")
  void chainedCommandsRunInTheEventLoop(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      Serial serial = new Serial();
      CompletableFuture<Void> end = new CompletableFuture<>();
      try (StatefulRedisConnection<String, String> connection = fixture.client.connect()) {
        fixture.loops.group.execute(
            () -> chain(fixture.loops, connection.async(), 0, 500, serial, end));
        end.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
      }
      serial.assertFaultless(500);
    }
  }

  private static void chain(
      TestGroup loops,
      RedisAsyncCommands<String, String> commands,
      int i,
      int n,
      Serial serial,
      CompletableFuture<Void> end) {
    if (i == n) {
      end.complete(null);
      return;
    }
    commands
        .incr("chain")
        .whenComplete(
            (value, failure) -> {
              if (failure != null) {
                end.completeExceptionally(failure);
                return;
              }
              if (!loops.isWorker(Thread.currentThread())) {
                serial.fault("on " + Thread.currentThread());
              }
              serial.expectNext((int) (value - 1));
              chain(loops, commands, i + 1, n, serial, end);
            });
  }

  @ParameterizedTest
  @MethodSource("settings")
  void connectionsDoNotDisturbEachOther(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      int connections = 16;
      List<StatefulRedisConnection<String, String>> all = new ArrayList<>();
      for (int i = 0; i < connections; i++) {
        all.add(fixture.client.connect());
      }
      List<Long> lengths =
          Flux.range(0, connections)
              .flatMapSequential(
                  i ->
                      Flux.range(0, 200)
                          .concatMap(k -> all.get(i).reactive().rpush("list" + i, "" + k))
                          .last())
              .collectList()
              .block();
      assertEquals(LongStream.range(0, connections).map(i -> 200).boxed().toList(), lengths);
      List<String> expected = Flux.range(0, 200).map(k -> "" + k).collectList().block();
      for (int i = 0; i < connections; i++) {
        assertEquals(expected, all.get(i).sync().lrange("list" + i, 0, -1));
        all.get(i).close();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void messagesArriveInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      int messages = 2_000;
      Serial serial = new Serial();
      try (StatefulRedisPubSubConnection<String, String> subscriber =
              fixture.client.connectPubSub();
          StatefulRedisConnection<String, String> publisher = fixture.client.connect()) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        subscriber.addListener(
            new RedisPubSubAdapter<>() {
              @Override
              public void message(String channel, String message) {
                int number = Integer.parseInt(message);
                serial.expectNext(number);
                if (number == messages - 1) {
                  end.complete(null);
                }
              }
            });
        subscriber.sync().subscribe("news");
        for (int i = 0; i < messages; i++) {
          publisher.async().publish("news", "" + i);
        }
        TestGroup.await().until(end::isDone);
      }
      serial.assertFaultless(messages);
    }
  }

  /** The server closes the connection; Lettuce's watchdog opens another one for later commands. */
  @ParameterizedTest
  @MethodSource("settings")
  void aLostConnectionIsReplaced(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      try (StatefulRedisConnection<String, String> victim = fixture.client.connect();
          StatefulRedisConnection<String, String> killer = fixture.client.connect()) {
        RedisCommands<String, String> commands = victim.sync();
        commands.set("key", "value");
        for (int i = 0; i < 5; i++) {
          long id = commands.clientId();
          assertEquals(1, killer.sync().clientKill(KillArgs.Builder.id(id)));
          assertEquals("value", commands.get("key"));
          assertTrue(commands.clientId() > id, "another connection");
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("settings")
  void transactionsAnswerInOrder(Setting setting) {
    try (Fixture fixture = new Fixture(setting)) {
      try (StatefulRedisConnection<String, String> connection = fixture.client.connect()) {
        RedisCommands<String, String> commands = connection.sync();
        commands.multi();
        for (int i = 0; i < 100; i++) {
          commands.incr("counter");
        }
        TransactionResult result = commands.exec();
        assertEquals(LongStream.rangeClosed(1, 100).boxed().toList(), result.stream().toList());
      }
    }
  }

  /** A client on a group; the server is empty. */
  private static final class Fixture implements AutoCloseable {
    final TestGroup loops;
    final RedisClient client;
    private final ClientResources resources;

    Fixture(Setting setting) {
      loops = new TestGroup(setting);
      resources =
          DefaultClientResources.builder()
              .eventLoopGroupProvider(new Provider(loops.group))
              .build();
      client = RedisClient.create(resources, RedisURI.create("127.0.0.1", server.port));
      try (StatefulRedisConnection<String, String> connection = client.connect()) {
        connection.sync().flushall();
      }
    }

    @Override
    public void close() {
      client.shutdown(0, TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
      resources.shutdown(0, TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
      assertTrue(loops.group.isTerminated(), "Lettuce has shut its group down");
      loops.close();
    }
  }

  /** Hands out the group under test; Lettuce shuts it down with its resources. */
  private static final class Provider extends DefaultEventLoopGroupProvider {
    private final EventLoopGroup group;

    Provider(EventLoopGroup group) {
      super(1);
      this.group = group;
    }

    @Override
    protected <T extends EventLoopGroup> EventExecutorGroup doCreateEventLoopGroup(
        Class<T> type, int n, io.lettuce.core.resource.ThreadFactoryProvider factories) {
      return group;
    }
  }
}
