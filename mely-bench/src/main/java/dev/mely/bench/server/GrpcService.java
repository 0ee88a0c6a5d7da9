package dev.mely.bench.server;

import com.google.common.io.ByteStreams;
import dev.mely.Mely;
import dev.mely.netty.MelyEventLoopGroup;
import dev.mely.netty.grpc.CallColors;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;

/** gRPC: the message says for how many microseconds to work. */
final class GrpcService {
  /** What can run a call. */
  static final List<Offload> OFFLOADS =
      List.of(
          Offload.STOCK,
          Offload.GRPC_POOL,
          Offload.POOL,
          Offload.VIRTUAL,
          Offload.MELY,
          Offload.MELY_CALLS,
          Offload.MELY_TASKS);

  private static final String NAME = "mely.Work";

  /** Messages are plain bytes. */
  private static final MethodDescriptor.Marshaller<byte[]> BYTES =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] message) {
          return new ByteArrayInputStream(message);
        }

        @Override
        public byte[] parse(InputStream message) {
          try {
            return ByteStreams.toByteArray(message);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
      };

  /** A request of {@link #request}, a response of {@link StreamAnswer}. */
  static final MethodDescriptor<byte[], byte[]> METHOD =
      MethodDescriptor.newBuilder(BYTES, BYTES)
          .setType(MethodType.UNARY)
          .setFullMethodName(MethodDescriptor.generateFullMethodName(NAME, "Spin"))
          .build();

  private GrpcService() {}

  /** A request for work of that many microseconds. */
  static byte[] request(int micros) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(micros).array();
  }

  /** Starts a server on the loopback address. Returns the port. */
  static int start(Offload offload, Transport transport, EventLoopGroup group, int cores)
      throws IOException {
    NettyServerBuilder builder =
        NettyServerBuilder.forAddress(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .channelType(transport.serverChannel())
            .bossEventLoopGroup(ServerMain.acceptor(transport))
            .workerEventLoopGroup(group)
            .addService(
                ServerServiceDefinition.builder(NAME)
                    .addMethod(METHOD, ServerCalls.asyncUnaryCall(GrpcService::answer))
                    .build());
    switch (offload) {
      case STOCK, MELY -> builder.directExecutor();
      case POOL, VIRTUAL -> builder.executor(offload.executor(cores));
      case MELY_CALLS -> builder.directExecutor().callExecutor(CallColors.perCall(mely(group)));
      case MELY_TASKS -> builder.executor(mely(group).executor());
      default -> {} // gRPC's own
    }
    return builder.build().start().getPort();
  }

  private static Mely mely(EventLoopGroup group) {
    return ((MelyEventLoopGroup) group).mely();
  }

  private static void answer(byte[] request, StreamObserver<byte[]> response) {
    response.onNext(StreamAnswer.compute(ByteBuffer.wrap(request).getInt()));
    response.onCompleted();
  }
}
