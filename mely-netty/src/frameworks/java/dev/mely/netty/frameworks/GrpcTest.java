package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.mely.netty.LeakCounter;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.grpc.CallColors;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ClientResponseObserver;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** gRPC: both ends on one group, callbacks in the event loops ({@code directExecutor}). */
@Timeout(300)
class GrpcTest {
  private static final int CALLS = 1_000;
  static final int MESSAGES = 10_000;

  private static final MethodDescriptor<String, String> UNARY =
      GrpcStrings.method("unary", MethodType.UNARY);
  private static final MethodDescriptor<String, String> COUNT =
      GrpcStrings.method("count", MethodType.SERVER_STREAMING);
  private static final MethodDescriptor<String, String> JOIN =
      GrpcStrings.method("join", MethodType.CLIENT_STREAMING);
  private static final MethodDescriptor<String, String> ECHO =
      GrpcStrings.method("echo", MethodType.BIDI_STREAMING);
  private static final MethodDescriptor<String, String> NEVER =
      GrpcStrings.method("never", MethodType.UNARY);

  @ParameterizedTest
  @EnumSource
  void unaryCallsGetTheirOwnAnswers(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      List<ListenableFuture<String>> answers = new ArrayList<>();
      for (int i = 0; i < CALLS; i++) {
        answers.add(
            ClientCalls.futureUnaryCall(
                fixture.channel.newCall(UNARY, CallOptions.DEFAULT), "call " + i));
      }
      for (int i = 0; i < CALLS; i++) {
        assertEquals("call " + i + "!", get(answers.get(i)));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void serverStreamsInOrder(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      Serial serial = new Serial();
      CompletableFuture<Void> end = new CompletableFuture<>();
      ClientCalls.asyncServerStreamingCall(
          fixture.channel.newCall(COUNT, CallOptions.DEFAULT),
          "" + MESSAGES,
          new NumbersObserver(serial, end));
      get(end);
      serial.assertFaultless(MESSAGES);
    }
  }

  @ParameterizedTest
  @EnumSource
  void clientStreamsInOrder(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      CompletableFuture<String> sum = new CompletableFuture<>();
      StreamObserver<String> requests =
          ClientCalls.asyncClientStreamingCall(
              fixture.channel.newCall(JOIN, CallOptions.DEFAULT), single(sum));
      StringBuilder expected = new StringBuilder();
      for (int i = 0; i < 1_000; i++) {
        requests.onNext(i + ",");
        expected.append(i).append(',');
      }
      requests.onCompleted();
      assertEquals(expected.toString(), get(sum));
    }
  }

  /** The sender writes when the stream says that it is ready: flow control is a callback, too. */
  @ParameterizedTest
  @EnumSource
  void bothStreamInOrder(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      Serial serial = new Serial();
      CompletableFuture<Void> end = new CompletableFuture<>();
      ClientCalls.asyncBidiStreamingCall(
          fixture.channel.newCall(ECHO, CallOptions.DEFAULT), new Sender(serial, end));
      get(end);
      serial.assertFaultless(MESSAGES);
      fixture.echoed.assertFaultless(MESSAGES);
    }
  }

  @ParameterizedTest
  @EnumSource
  void deadlinesEndACallOnBothSides(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      assertEquals("first!", unary(fixture.channel, "first")); // connects
      int seconds = 1;
      do { // again, where the call has not even reached the server by then
        CallOptions soon = CallOptions.DEFAULT.withDeadlineAfter(seconds, TimeUnit.SECONDS);
        StatusRuntimeException e =
            assertThrows(
                StatusRuntimeException.class,
                () -> ClientCalls.blockingUnaryCall(fixture.channel, NEVER, soon, "x"));
        assertEquals(Status.Code.DEADLINE_EXCEEDED, e.getStatus().getCode());
        seconds *= 4;
        assertTrue(seconds < TestGroup.PATIENCE_SECONDS, "the server's side does not end");
      } while (!fixture.cancelled.await(seconds, TimeUnit.SECONDS));
      assertEquals("next!", unary(fixture.channel, "next"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void cancellationReachesTheServer(Setting setting) throws Exception {
    try (Fixture fixture = new Fixture(setting)) {
      CompletableFuture<Throwable> failure = new CompletableFuture<>();
      AtomicReference<ClientCallStreamObserver<String>> call = new AtomicReference<>();
      ClientCalls.asyncServerStreamingCall(
          fixture.channel.newCall(COUNT, CallOptions.DEFAULT),
          "" + Integer.MAX_VALUE,
          new ClientResponseObserver<String, String>() {
            @Override
            public void beforeStart(ClientCallStreamObserver<String> requests) {
              call.set(requests);
            }

            @Override
            public void onNext(String value) {
              if (value.equals("500")) {
                call.get().cancel("enough", null);
              }
            }

            @Override
            public void onError(Throwable cause) {
              failure.complete(cause);
            }

            @Override
            public void onCompleted() {
              failure.complete(new AssertionError("completed"));
            }
          });
      assertEquals(Status.Code.CANCELLED, Status.fromThrowable(get(failure)).getCode());
      assertTrue(fixture.cancelled.await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
      assertEquals("next!", unary(fixture.channel, "next"));
    }
  }

  /** It reports each stream that a client resets, with a stack. Held, or it is forgotten. */
  private static final Logger RESETS = Logger.getLogger("io.grpc.netty.NettyServerHandler");

  @BeforeAll
  static void expectResets() {
    RESETS.setLevel(Level.SEVERE);
  }

  @AfterAll
  static void noBufferIsLost() {
    LeakCounter.assertNoLeaks();
  }

  static final Metadata.Key<String> TENANT =
      Metadata.Key.of("tenant", Metadata.ASCII_STRING_MARSHALLER);

  @Test
  void asInTheGuide() throws Exception {
    Serial unused = new Serial();
    InetSocketAddress address = new InetSocketAddress("127.0.0.1", 0);
    MelyEventLoopGroup group = MelyEventLoopGroup.builder().build();
    NettyServerBuilder server =
        NettyServerBuilder.forAddress(address)
            .bossEventLoopGroup(group)
            .workerEventLoopGroup(group)
            .channelType(group.serverSocketChannelType());
    server.directExecutor().callExecutor(CallColors.perCall(group.mely()));
    server.callExecutor(CallColors.byKey(group.mely(), (call, metadata) -> metadata.get(TENANT)));
    Server running = server.addService(service(unused, new CountDownLatch(1))).build().start();
    int port = running.getPort();
    NettyChannelBuilder client =
        NettyChannelBuilder.forAddress("127.0.0.1", port)
            .eventLoopGroup(group)
            .channelType(group.socketChannelType());
    ManagedChannel channel = client.usePlaintext().build();
    assertEquals("guide!", unary(channel, "guide"));
    channel.shutdownNow().awaitTermination(120, TimeUnit.SECONDS);
    running.shutdownNow().awaitTermination(120, TimeUnit.SECONDS);
    group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
  }

  /** A server and a connected client on one group. */
  private static final class Fixture implements AutoCloseable {
    final Serial echoed = new Serial();
    final CountDownLatch cancelled = new CountDownLatch(1);
    final ManagedChannel channel;
    private final TestGroup loops;
    private final Server server;

    Fixture(Setting setting) throws IOException {
      loops = new TestGroup(setting);
      MelyEventLoopGroup group = loops.group;
      server =
          NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
              .bossEventLoopGroup(group)
              .workerEventLoopGroup(group)
              .channelType(group.serverSocketChannelType())
              .directExecutor()
              .addService(service(echoed, cancelled))
              .build()
              .start();
      channel =
          NettyChannelBuilder.forAddress("127.0.0.1", server.getPort())
              .eventLoopGroup(group)
              .channelType(group.socketChannelType())
              .directExecutor()
              .usePlaintext()
              .build();
    }

    @Override
    public void close() {
      channel.shutdown();
      TestGroup.await().until(channel::isTerminated);
      server.shutdown();
      TestGroup.await().until(server::isTerminated);
      loops.close();
    }
  }

  private static ServerServiceDefinition service(Serial echoed, CountDownLatch cancelled) {
    return ServerServiceDefinition.builder("mely")
        .addMethod(
            UNARY,
            ServerCalls.asyncUnaryCall(
                (request, answer) -> {
                  answer.onNext(request + "!");
                  answer.onCompleted();
                }))
        .addMethod(
            NEVER,
            ServerCalls.asyncUnaryCall(
                (request, answer) ->
                    ((ServerCallStreamObserver<String>) answer)
                        .setOnCancelHandler(cancelled::countDown)))
        .addMethod(
            COUNT,
            ServerCalls.asyncServerStreamingCall(
                (request, answer) -> count(Integer.parseInt(request), answer, cancelled)))
        .addMethod(JOIN, ServerCalls.asyncClientStreamingCall(Joiner::new))
        .addMethod(ECHO, ServerCalls.asyncBidiStreamingCall(answer -> new Echo(answer, echoed)))
        .build();
  }

  /** Sends the numbers below a limit, as fast as the client takes them. */
  private static void count(int limit, StreamObserver<String> answer, CountDownLatch cancelled) {
    ServerCallStreamObserver<String> stream = (ServerCallStreamObserver<String>) answer;
    stream.setOnCancelHandler(cancelled::countDown);
    stream.setOnReadyHandler(
        new Runnable() {
          private int next;

          @Override
          public void run() {
            while (stream.isReady() && next < limit) {
              stream.onNext("" + next++);
              if (next == limit) {
                stream.onCompleted();
              }
            }
          }
        });
  }

  private static final class Joiner implements StreamObserver<String> {
    private final StringBuilder all = new StringBuilder();
    private final StreamObserver<String> answer;

    Joiner(StreamObserver<String> answer) {
      this.answer = answer;
    }

    @Override
    public void onNext(String value) {
      all.append(value);
    }

    @Override
    public void onError(Throwable cause) {}

    @Override
    public void onCompleted() {
      answer.onNext(all.toString());
      answer.onCompleted();
    }
  }

  static final class Echo implements StreamObserver<String> {
    private final StreamObserver<String> answer;
    private final Serial serial;

    Echo(StreamObserver<String> answer, Serial serial) {
      this.answer = answer;
      this.serial = serial;
    }

    @Override
    public void onNext(String value) {
      serial.expectNext(Integer.parseInt(value));
      answer.onNext(value);
    }

    @Override
    public void onError(Throwable cause) {
      serial.fault("server: " + cause);
    }

    @Override
    public void onCompleted() {
      serial.run(answer::onCompleted);
    }
  }

  /** Expects the numbers from 0, in order. */
  static class NumbersObserver implements StreamObserver<String> {
    final Serial serial;
    private final CompletableFuture<Void> end;

    NumbersObserver(Serial serial, CompletableFuture<Void> end) {
      this.serial = serial;
      this.end = end;
    }

    @Override
    public void onNext(String value) {
      serial.expectNext(Integer.parseInt(value));
    }

    @Override
    public void onError(Throwable cause) {
      end.completeExceptionally(cause);
    }

    @Override
    public void onCompleted() {
      serial.run(() -> end.complete(null));
    }
  }

  /** Sends numbers when the stream is ready, and expects them back. */
  static final class Sender extends NumbersObserver
      implements ClientResponseObserver<String, String> {
    private int next;

    Sender(Serial serial, CompletableFuture<Void> end) {
      super(serial, end);
    }

    @Override
    public void beforeStart(ClientCallStreamObserver<String> requests) {
      requests.setOnReadyHandler(() -> serial.run(() -> send(requests)));
    }

    private void send(ClientCallStreamObserver<String> requests) {
      while (requests.isReady() && next < MESSAGES) {
        requests.onNext("" + next++);
        if (next == MESSAGES) {
          requests.onCompleted();
        }
      }
    }
  }

  private static StreamObserver<String> single(CompletableFuture<String> result) {
    return new StreamObserver<>() {
      @Override
      public void onNext(String value) {
        result.complete(value);
      }

      @Override
      public void onError(Throwable cause) {
        result.completeExceptionally(cause);
      }

      @Override
      public void onCompleted() {}
    };
  }

  private static String unary(Channel channel, String request) {
    return ClientCalls.blockingUnaryCall(channel, UNARY, CallOptions.DEFAULT, request);
  }

  private static <T> T get(java.util.concurrent.Future<T> future) throws Exception {
    return future.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }
}
