package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.Mely;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.grpc.CallColors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.stub.ClientCalls;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** gRPC calls as colors, on one connection and on several. */
@Timeout(300)
class GrpcColorsTest {

  /** {@code CallColors.byKey}, or its broken twin. */
  interface ByKey
      extends BiFunction<
          Mely,
          BiFunction<ServerCall<?, ?>, Metadata, @Nullable Object>,
          ServerCallExecutorSupplier> {}

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  // ---- In parallel

  @ParameterizedTest
  @EnumSource
  void callsOfOneConnectionRunAtOnce(Setting setting) throws Exception {
    for (boolean direct : new boolean[] {true, false}) {
      checkTwoRunAtOnce(setting, direct, (mely, keys) -> CallColors.perCall(mely), "a", "a", 120);
      checkTwoRunAtOnce(setting, direct, CallColors::byKey, "a", "b", 120);
      checkTwoRunAtOnce(setting, direct, CallColors::byKey, "none", "none", 120);
    }
  }

  /** Fails unless two calls of one connection are in their service at the same time. */
  static void checkTwoRunAtOnce(
      Setting setting, boolean direct, ByKey colors, String key, String otherKey, int seconds)
      throws Exception {
    Meeting meeting = new Meeting();
    try (CallBed bed = new CallBed(setting)) {
      Server server =
          bed.start(
              direct,
              colors.apply(bed.mely, GrpcColorsTest::keyOrNone),
              CallBed.unary(request -> request + " " + meeting.join(seconds)));
      Channel client = bed.connect(server);
      Future<String> one = CallBed.begin(CallBed.keyed(client, key), "one");
      Future<String> two = CallBed.begin(CallBed.keyed(client, otherKey), "two");
      assertEquals("one met", CallBed.outcome(one));
      assertEquals("two met", CallBed.outcome(two));
      bed.assertConnections(1);
    }
  }

  // ---- One after the other

  @ParameterizedTest
  @EnumSource
  void callsOfAKeyExcludeEachOtherOverConnections(Setting setting) throws Exception {
    checkExclusion(setting, CallColors::byKey);
  }

  /** Fails unless a key's counter, which nothing protects but its color, counts all calls. */
  static void checkExclusion(Setting setting, ByKey colors) throws Exception {
    List<String> keys = List.of("a", "b", "c");
    int rounds = 200;
    Map<String, int[]> counters = new ConcurrentHashMap<>();
    try (CallBed bed = new CallBed(setting)) {
      KeyWatch watch = new KeyWatch(bed.mely);
      Server server =
          bed.start(
              true,
              colors.apply(bed.mely, CallBed::key),
              CallBed.unary(
                  key -> {
                    int[] counter = counters.computeIfAbsent(key, unused -> new int[1]);
                    int before = counter[0];
                    Thread.yield();
                    counter[0] = before + 1;
                    return key;
                  }),
              watch);
      List<Channel> clients = List.of(bed.connect(server), bed.connect(server));
      List<Future<String>> calls = new ArrayList<>();
      for (int i = 0; i < rounds; i++) {
        for (String key : keys) {
          for (Channel client : clients) {
            calls.add(CallBed.begin(CallBed.keyed(client, key), key));
          }
        }
      }
      for (Future<String> call : calls) {
        CallBed.get(call);
      }
      bed.assertConnections(clients.size());
      watch.assertFaultless();
      for (String key : keys) {
        assertEquals(clients.size() * rounds, counters.get(key)[0], "calls of " + key);
      }
    }
  }

  /** Both streams of each color send and receive at once. */
  @ParameterizedTest
  @EnumSource
  void messagesOfACallKeepTheirOrder(Setting setting) throws Exception {
    try (CallBed bed = new CallBed(setting)) {
      KeyWatch watch = new KeyWatch(bed.mely);
      List<Serial> received = new ArrayList<>();
      Server server =
          bed.start(
              true,
              CallColors.byKey(bed.mely, CallBed::key),
              CallBed.bidi(
                  answer -> {
                    Serial serial = new Serial();
                    synchronized (received) {
                      received.add(serial);
                    }
                    return new GrpcTest.Echo(answer, serial);
                  }),
              watch);
      List<Channel> clients = List.of(bed.connect(server), bed.connect(server));
      List<Serial> echoed = new ArrayList<>();
      List<Future<Void>> ends = new ArrayList<>();
      for (Channel client : clients) {
        for (String key : List.of("a", "b")) {
          Serial serial = new Serial();
          CompletableFuture<Void> end = new CompletableFuture<>();
          ClientCalls.asyncBidiStreamingCall(
              CallBed.keyed(client, key).newCall(CallBed.BIDI, CallOptions.DEFAULT),
              new GrpcTest.Sender(serial, end));
          echoed.add(serial);
          ends.add(end);
        }
      }
      for (Future<Void> end : ends) {
        CallBed.get(end);
      }
      echoed.forEach(serial -> serial.assertFaultless(GrpcTest.MESSAGES));
      assertEquals(ends.size(), received.size());
      for (Serial serial : received) {
        serial.assertFaultless(GrpcTest.MESSAGES);
      }
      watch.assertFaultless();
    }
  }

  private static @Nullable Object keyOrNone(ServerCall<?, ?> call, Metadata metadata) {
    String key = CallBed.key(call, metadata);
    return key.equals("none") ? null : key;
  }
}
