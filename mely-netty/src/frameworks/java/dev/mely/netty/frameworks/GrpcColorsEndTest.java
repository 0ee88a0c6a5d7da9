package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.grpc.CallColors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How calls that are colors end: by their clients, by failures, by the end of their server. */
@Timeout(300)
class GrpcColorsEndTest {
  private static final int PENDING = 50;

  /** They report what a service or a key function throws, and each reset. Held, or forgotten. */
  private static final List<Logger> NOISY =
      List.of(
          Logger.getLogger("io.grpc.internal.SerializingExecutor"),
          Logger.getLogger("io.grpc.netty.NettyServerHandler"),
          Logger.getLogger("dev.mely"));

  @BeforeAll
  static void expectFailures() {
    NOISY.forEach(logger -> logger.setLevel(Level.OFF));
  }

  @AfterAll
  static void noBufferIsLost() {
    NOISY.forEach(logger -> logger.setLevel(null));
    LeakCounter.assertNoLeaks();
  }

  // ---- Clients

  /** Its service answers nothing; the end is a callback in the color. */
  @ParameterizedTest
  @EnumSource
  void cancellationsAndDeadlinesAreCallbacksInTheColor(Setting setting) throws Exception {
    try (CallBed bed = new CallBed(setting)) {
      KeyWatch watch = new KeyWatch(bed.mely);
      CompletableFuture<Void> begun = new CompletableFuture<>();
      Map<String, CountDownLatch> ends =
          Map.of("cancel", new CountDownLatch(1), "deadline", new CountDownLatch(1));
      Server server =
          bed.start(
              true,
              CallColors.byKey(bed.mely, CallBed::key),
              ServerMethodDefinition.create(
                  CallBed.UNARY,
                  ServerCalls.asyncUnaryCall(
                      (end, answer) -> {
                        ((ServerCallStreamObserver<String>) answer)
                            .setOnCancelHandler(ends.get(end)::countDown);
                        begun.complete(null);
                      })),
              watch);
      Channel client = CallBed.keyed(bed.connect(server), "a");
      ListenableFuture<String> call = CallBed.begin(client, "cancel");
      CallBed.get(begun);
      call.cancel(true);
      assertTrue(ends.get("cancel").await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
      int seconds = 1;
      do { // again, where the call has not even reached the service by then
        CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(seconds, TimeUnit.SECONDS);
        Future<String> late =
            ClientCalls.futureUnaryCall(client.newCall(CallBed.UNARY, soon), "deadline");
        assertEquals(Status.Code.DEADLINE_EXCEEDED.toString(), CallBed.outcome(late));
        seconds *= 4;
        assertTrue(seconds < TestGroup.PATIENCE_SECONDS, "the server's side does not end");
      } while (!ends.get("deadline").await(seconds, TimeUnit.SECONDS));
      watch.assertFaultless();
    }
  }

  /** The context's cancellation does not wait for the color, which is busy. */
  @ParameterizedTest
  @EnumSource
  void aServiceHearsOfTheCancellationWhileItRuns(Setting setting) throws Exception {
    for (boolean direct : new boolean[] {true, false}) {
      try (CallBed bed = new CallBed(setting)) {
        CompletableFuture<Void> begun = new CompletableFuture<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        Server server =
            bed.start(
                direct,
                CallColors.byKey(bed.mely, CallBed::key),
                CallBed.unary(
                    request -> {
                      if (request.equals("next")) {
                        return "next!";
                      }
                      CountDownLatch cancelled = new CountDownLatch(1);
                      Context.current()
                          .addListener(context -> cancelled.countDown(), Runnable::run);
                      begun.complete(null);
                      CallBed.await(cancelled);
                      ended.complete(null);
                      return "unheard";
                    }));
        Channel client = CallBed.keyed(bed.connect(server), "a");
        Future<String> call = CallBed.begin(client, "long");
        CallBed.get(begun);
        Future<String> next = CallBed.begin(client, "next"); // waits for the color
        call.cancel(true);
        CallBed.get(ended);
        assertEquals("next!", CallBed.get(next));
        bed.assertConnections(1);
      }
    }
  }

  // ---- What throws

  @ParameterizedTest
  @EnumSource
  void aKeyFunctionThatThrowsFailsItsOwnCallAlone(Setting setting) throws Exception {
    checkFailingKeys(setting, true, CallColors::byKey);
    checkFailingKeys(setting, false, CallColors::byKey);
  }

  /** Fails unless each such call gets its status, and nothing else is disturbed. */
  static void checkFailingKeys(Setting setting, boolean direct, GrpcColorsTest.ByKey colors)
      throws Exception {
    AtomicInteger served = new AtomicInteger();
    try (CallBed bed = new CallBed(setting)) {
      Server server =
          bed.start(
              direct,
              colors.apply(bed.mely, GrpcColorsEndTest::failingKey),
              CallBed.unary(request -> request + served.incrementAndGet()));
      Channel client = bed.connect(server);
      Map<String, Status.Code> failures =
          Map.of(
              "exception", Status.Code.INTERNAL,
              "error", Status.Code.INTERNAL,
              "hash", Status.Code.INTERNAL,
              "refused", Status.Code.PERMISSION_DENIED);
      for (int round = 1; round <= 20; round++) {
        Map<String, Future<String>> calls = new ConcurrentHashMap<>();
        failures
            .keySet()
            .forEach(key -> calls.put(key, CallBed.begin(CallBed.keyed(client, key), "bad")));
        Future<String> good = CallBed.begin(CallBed.keyed(client, "good"), "good");
        for (Map.Entry<String, Future<String>> call : calls.entrySet()) {
          assertEquals(
              failures.get(call.getKey()).toString(),
              CallBed.outcome(call.getValue()),
              call.getKey());
        }
        assertEquals("good" + round, CallBed.outcome(good));
      }
      bed.assertConnections(1);
    }
  }

  private static @Nullable Object failingKey(ServerCall<?, ?> call, Metadata metadata) {
    String key = CallBed.key(call, metadata);
    switch (key) {
      case "exception":
        throw new IllegalArgumentException("planted");
      case "error":
        throw new AssertionError("planted");
      case "refused":
        throw Status.PERMISSION_DENIED.asRuntimeException();
      case "hash":
        return new Object() {
          @Override
          public int hashCode() {
            throw new IllegalStateException("planted");
          }
        };
      default:
        return key;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aServiceThatThrowsFailsItsOwnCallAlone(Setting setting) throws Exception {
    try (CallBed bed = new CallBed(setting)) {
      KeyWatch watch = new KeyWatch(bed.mely);
      Server server =
          bed.start(
              true, CallColors.byKey(bed.mely, CallBed::key), CallBed.bidi(Thrower::new), watch);
      Channel client = CallBed.keyed(bed.connect(server), "a");
      for (int round = 0; round < 20; round++) {
        for (String what : List.of("exception", "error", "status")) {
          CompletableFuture<Void> end = new CompletableFuture<>();
          StreamObserver<String> requests =
              ClientCalls.asyncBidiStreamingCall(
                  client.newCall(CallBed.BIDI, CallOptions.DEFAULT),
                  new GrpcTest.NumbersObserver(new Serial(), end));
          requests.onNext("0");
          requests.onNext(what);
          requests.onNext("1");
          assertEquals(Status.Code.UNKNOWN.toString(), CallBed.outcome(end), what);
        }
      }
      CompletableFuture<Void> end = new CompletableFuture<>();
      ClientCalls.asyncBidiStreamingCall(
              client.newCall(CallBed.BIDI, CallOptions.DEFAULT),
              new GrpcTest.NumbersObserver(new Serial(), end))
          .onCompleted();
      CallBed.get(end);
      bed.assertConnections(1);
      watch.assertFaultless();
    }
  }

  private static final class Thrower implements StreamObserver<String> {
    private final StreamObserver<String> answer;

    Thrower(StreamObserver<String> answer) {
      this.answer = answer;
    }

    @Override
    public void onNext(String value) {
      if (value.equals("exception")) {
        throw new IllegalStateException("planted");
      }
      if (value.equals("error")) {
        throw new AssertionError("planted");
      }
      if (value.equals("status")) {
        throw Status.NOT_FOUND.asRuntimeException(); // gRPC treats it as any other
      }
      answer.onNext(value);
    }

    @Override
    public void onError(Throwable cause) {}

    @Override
    public void onCompleted() {
      answer.onCompleted();
    }
  }

  // ---- The server's end

  @ParameterizedTest
  @EnumSource
  void aServerEndsWhenItsCallsHaveEnded(Setting setting) throws Exception {
    CountDownLatch arrived = new CountDownLatch(PENDING);
    CountDownLatch goOn = new CountDownLatch(1);
    try (CallBed bed = new CallBed(setting)) {
      Server server = startHeld(bed, arrived, goOn);
      Channel client = CallBed.keyed(bed.connect(server), "a");
      List<Future<String>> calls = beginPending(client);
      CallBed.await(arrived);
      server.shutdown();
      goOn.countDown();
      for (Future<String> call : calls) {
        assertEquals("served", CallBed.outcome(call));
      }
      TestGroup.await().until(server::isTerminated);
      assertEquals(
          Status.Code.UNAVAILABLE.toString(), CallBed.outcome(CallBed.begin(client, "late")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void aServerThatEndsNowFailsItsCalls(Setting setting) throws Exception {
    CountDownLatch arrived = new CountDownLatch(PENDING);
    CountDownLatch goOn = new CountDownLatch(1);
    try (CallBed bed = new CallBed(setting)) {
      Server server = startHeld(bed, arrived, goOn);
      List<Future<String>> calls = beginPending(CallBed.keyed(bed.connect(server), "a"));
      CallBed.await(arrived);
      server.shutdownNow();
      Set<String> outcomes = new HashSet<>();
      for (Future<String> call : calls) {
        outcomes.add(CallBed.outcome(call));
      }
      TestGroup.await().until(server::isTerminated);
      goOn.countDown(); // the color was busy until now: what waited in it finds closed calls
      assertEquals(Set.of(Status.Code.CANCELLED.toString()), outcomes);
    }
  }

  /** Each call waits in its service; as all have one key, one does, and the others behind it. */
  private static Server startHeld(CallBed bed, CountDownLatch arrived, CountDownLatch goOn)
      throws IOException {
    return bed.start(
        true,
        CallColors.byKey(
            bed.mely,
            (call, metadata) -> {
              arrived.countDown();
              return CallBed.key(call, metadata);
            }),
        CallBed.unary(
            request -> {
              CallBed.await(goOn);
              return "served";
            }));
  }

  private static List<Future<String>> beginPending(Channel client) {
    List<Future<String>> calls = new ArrayList<>();
    for (int i = 0; i < PENDING; i++) {
      calls.add(CallBed.begin(client, "pending"));
    }
    return calls;
  }
}
