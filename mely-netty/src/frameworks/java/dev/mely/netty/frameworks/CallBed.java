package dev.mely.netty.frameworks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.common.util.concurrent.ListenableFuture;
import dev.mely.Mely;
import dev.mely.netty.MelyEventLoopGroup;
import io.grpc.Attributes;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.grpc.ServerInterceptor;
import io.grpc.ServerInterceptors;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A gRPC server whose calls are colors, and clients with a connection each, on one group. */
final class CallBed implements AutoCloseable {
  static final Metadata.Key<String> KEY = Metadata.Key.of("key", Metadata.ASCII_STRING_MARSHALLER);
  static final MethodDescriptor<String, String> UNARY =
      GrpcStrings.method("unary", MethodType.UNARY);
  static final MethodDescriptor<String, String> BIDI =
      GrpcStrings.method("bidi", MethodType.BIDI_STREAMING);

  /** For a connection, and for two calls that run at once. */
  private static final int CORES = 3;

  final Mely mely;
  private final TestGroup loops;
  private final AtomicInteger connections = new AtomicInteger();
  private final List<ManagedChannel> clients = new ArrayList<>();
  private @Nullable Server server;

  CallBed(Setting setting) {
    loops = new TestGroup(setting, CORES);
    mely = loops.group.mely();
  }

  /**
   * Starts the server.
   *
   * @param direct whether it looks methods up in the connection's event loop, not in a pool
   */
  Server start(
      boolean direct,
      ServerCallExecutorSupplier colors,
      ServerMethodDefinition<String, String> service,
      ServerInterceptor... interceptors)
      throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0))
            .bossEventLoopGroup(loops.group)
            .workerEventLoopGroup(loops.group)
            .channelType(loops.group.serverSocketChannelType())
            .callExecutor(colors)
            .addTransportFilter(
                new ServerTransportFilter() {
                  @Override
                  public Attributes transportReady(Attributes attributes) {
                    connections.getAndIncrement();
                    return attributes;
                  }
                })
            .addService(
                ServerInterceptors.intercept(
                    ServerServiceDefinition.builder("mely").addMethod(service).build(),
                    interceptors));
    Server started = (direct ? builder.directExecutor() : builder).build().start();
    server = started;
    return started;
  }

  static ServerMethodDefinition<String, String> unary(UnaryOperator<String> service) {
    return ServerMethodDefinition.create(
        UNARY,
        ServerCalls.asyncUnaryCall(
            (request, answer) -> {
              answer.onNext(service.apply(request));
              answer.onCompleted();
            }));
  }

  static ServerMethodDefinition<String, String> bidi(
      UnaryOperator<StreamObserver<String>> service) {
    return ServerMethodDefinition.create(BIDI, ServerCalls.asyncBidiStreamingCall(service::apply));
  }

  /** A client with a connection of its own, which the first call makes. */
  Channel connect(Server to) {
    MelyEventLoopGroup group = loops.group;
    ManagedChannel client =
        NettyChannelBuilder.forAddress("127.0.0.1", to.getPort())
            .eventLoopGroup(group)
            .channelType(group.socketChannelType())
            .directExecutor()
            .usePlaintext()
            .build();
    clients.add(client);
    return client;
  }

  /** The same client, with a key in the metadata of each call. */
  static Channel keyed(Channel client, String key) {
    Metadata metadata = new Metadata();
    metadata.put(KEY, key);
    return ClientInterceptors.intercept(
        client, MetadataUtils.newAttachHeadersInterceptor(metadata));
  }

  static ListenableFuture<String> begin(Channel client, String request) {
    return ClientCalls.futureUnaryCall(client.newCall(UNARY, CallOptions.DEFAULT), request);
  }

  /** The key in a call's metadata. */
  static String key(ServerCall<?, ?> call, Metadata metadata) {
    return String.valueOf(metadata.get(KEY));
  }

  /** What a call returns, or the code of its failure. */
  static String outcome(Future<?> call) throws Exception {
    try {
      return String.valueOf(get(call));
    } catch (ExecutionException e) {
      return Status.fromThrowable(e).getCode().toString();
    }
  }

  static <T> T get(Future<T> future) throws Exception {
    return future.get(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  static void await(CountDownLatch latch) {
    try {
      assertTrue(latch.await(TestGroup.PATIENCE_SECONDS, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Fails if a connection has been lost, and made again. */
  void assertConnections(int expected) {
    assertEquals(expected, connections.get(), "connections");
  }

  @Override
  public void close() {
    clients.forEach(ManagedChannel::shutdown);
    TestGroup.await().until(() -> clients.stream().allMatch(ManagedChannel::isTerminated));
    Server started = server;
    if (started != null) {
      started.shutdown();
      TestGroup.await().until(started::isTerminated);
    }
    loops.close();
  }
}
