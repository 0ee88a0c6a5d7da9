package dev.mely.netty.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.stage.StageGraph;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which color a call gets. With a server: {@code GrpcColorsTest}, profile frameworks. */
@Timeout(300)
public class CallColorsTest {
  private static final Metadata.Key<String> KEY =
      Metadata.Key.of("key", Metadata.ASCII_STRING_MARSHALLER);
  private static final int PATIENCE_SECONDS = 60;
  private static final int CALLS = 20;
  private static final MethodDescriptor<String, String> METHOD = method();

  private final Mely mely = Mely.builder().cores(2).build();
  private final CallColors byKey = CallColors.byKey(mely, (call, metadata) -> metadata.get(KEY));

  @AfterEach
  void close() {
    mely.close();
  }

  @Test
  void equalKeysAreTheKeysColor() throws Exception {
    Color color = mely.color("a");
    for (int i = 0; i < 2; i++) {
      assertTrue(call(executor(byKey, new String("a")), color::isCurrent));
    }
    assertFalse(call(executor(byKey, "b"), color::isCurrent));
  }

  @Test
  void callsWithoutAKeyRunInParallel() throws Exception {
    assertParallel(executor(byKey, null), executor(byKey, null));
  }

  @Test
  void aColorForEachCallRunsInParallel() throws Exception {
    CallColors perCall = CallColors.perCall(mely);
    assertParallel(executor(perCall, "a"), executor(perCall, "a"));
  }

  private static void assertParallel(Executor one, Executor other) throws Exception {
    CountDownLatch both = new CountDownLatch(2);
    CompletableFuture<Boolean> met = new CompletableFuture<>();
    for (Executor executor : new Executor[] {one, other}) {
      executor.execute(
          () -> {
            both.countDown();
            try {
              met.complete(both.await(PATIENCE_SECONDS, TimeUnit.SECONDS));
            } catch (InterruptedException e) {
              met.completeExceptionally(e);
            }
          });
    }
    assertTrue(get(met));
  }

  /** Cores do not steal here, so that what a core runs began there. */
  @Test
  void callsBeginWhereFewerColorsWait() throws Exception {
    try (Mely still = Mely.builder().cores(2).policy(StealPolicy.OFF).build()) {
      CallColors colors = CallColors.perCall(still);
      Queue<Integer> began = new ConcurrentLinkedQueue<>();
      still.execute(
          still.newColor(0),
          () -> {
            for (int i = 0; i < 2 * CALLS; i++) {
              still.execute(still.newColor(0), () -> {});
            }
            for (int i = 0; i < CALLS; i++) {
              executor(colors, null).execute(() -> began.add(still.inspect().currentCore()));
            }
          });
      still.shutdown(Duration.ofSeconds(PATIENCE_SECONDS));
      assertEquals(Collections.nCopies(CALLS, 1), List.copyOf(began));
    }
  }

  @Test
  void theFunctionIsGivenCallAndMetadata() {
    Call call = new Call();
    Metadata metadata = new Metadata();
    CompletableFuture<Void> asked = new CompletableFuture<>();
    CallColors.byKey(
            mely,
            (given, with) -> {
              assertSame(call, given);
              assertSame(metadata, with);
              asked.complete(null);
              return 1;
            })
        .getExecutor(call, metadata);
    assertTrue(asked.isDone());
  }

  @Test
  void whatTheFunctionThrowsIsAStatus() {
    for (Throwable thrown :
        new Throwable[] {new IllegalStateException("planted"), new AssertionError("planted")}) {
      StatusRuntimeException e = assertThrows(StatusRuntimeException.class, () -> fail(thrown));
      assertEquals(Status.Code.INTERNAL, e.getStatus().getCode());
      assertSame(thrown, e.getCause());
    }
    StatusRuntimeException refused = Status.PERMISSION_DENIED.asRuntimeException();
    assertSame(refused, assertThrows(StatusRuntimeException.class, () -> fail(refused)));
  }

  private void fail(Throwable thrown) {
    CallColors failing = CallColors.byKey(mely, (call, metadata) -> CallColorsTest.raise(thrown));
    failing.getExecutor(new Call(), new Metadata());
  }

  @SuppressWarnings("unchecked")
  private static <T extends Throwable> Object raise(Throwable thrown) throws T {
    throw (T) thrown;
  }

  @Test
  void theStepsOfACallAreMeasuredApart() throws Exception {
    try (Mely recorded = Mely.builder().cores(1).recordStages(true).build()) {
      CallColors colors = CallColors.perCall(recorded);
      for (int i = 0; i < 3; i++) {
        Executor one = executor(colors, null);
        for (int step = 0; step < 4; step++) {
          call(one, () -> null);
        }
      }
      recorded.shutdown(Duration.ofSeconds(PATIENCE_SECONDS));
      Map<String, Long> runs =
          recorded.inspect().stages().stages().stream()
              .collect(Collectors.toMap(StageGraph.Stage::name, StageGraph.Stage::runs));
      Map<String, Long> expected =
          Map.of("test/call, opening", 3L, "test/call, first message", 3L, "test/call, rest", 6L);
      assertEquals(expected, runs);
    }
  }

  @Test
  void methodsThatAreMadeUpShareTheirFigures() {
    Set<MethodSteps> all = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < 5_000; i++) {
      all.add(byKey.steps("service/method" + i));
    }
    assertEquals(1_001, all.size());
    assertSame(byKey.steps("service/method0"), byKey.steps("service/method0"));
  }

  private static Executor executor(ServerCallExecutorSupplier colors, @Nullable String key) {
    Metadata metadata = new Metadata();
    if (key != null) {
      metadata.put(KEY, key);
    }
    return colors.getExecutor(new Call(), metadata);
  }

  private static <T> T call(Executor executor, Callable<T> task) throws Exception {
    CompletableFuture<T> result = new CompletableFuture<>();
    executor.execute(
        () -> {
          try {
            result.complete(task.call());
          } catch (Exception e) {
            result.completeExceptionally(e);
          }
        });
    return get(result);
  }

  private static MethodDescriptor<String, String> method() {
    MethodDescriptor.Marshaller<String> none =
        new MethodDescriptor.Marshaller<>() {
          @Override
          public InputStream stream(String value) {
            throw new UnsupportedOperationException();
          }

          @Override
          public String parse(InputStream stream) {
            throw new UnsupportedOperationException();
          }
        };
    return MethodDescriptor.<String, String>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName("test/call")
        .setRequestMarshaller(none)
        .setResponseMarshaller(none)
        .build();
  }

  private static <T> T get(CompletableFuture<T> future) throws Exception {
    return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  /** A call of which nothing is asked. */
  private static final class Call extends ServerCall<String, String> {
    @Override
    public void request(int messages) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sendHeaders(Metadata headers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void sendMessage(String message) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close(Status status, Metadata trailers) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isCancelled() {
      throw new UnsupportedOperationException();
    }

    @Override
    public MethodDescriptor<String, String> getMethodDescriptor() {
      return METHOD;
    }
  }
}
