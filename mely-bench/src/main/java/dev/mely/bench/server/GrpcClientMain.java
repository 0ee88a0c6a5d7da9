package dev.mely.bench.server;

import dev.mely.bench.Json;
import dev.mely.bench.OtherProcesses;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.HdrHistogram.Histogram;

/**
 * A client of gRPC: for each {@link StreamsClient.Load} on standard input it opens a channel, keeps
 * calls under way, and prints the result. One event loop thread makes all calls.
 */
final class GrpcClientMain {
  private static final int DIGITS = 3;
  private static final double MICRO = 1e3;

  /** How long after its load a client waits for the last response. */
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final EventLoopGroup LOOP =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("client", true), NioIoHandler.newFactory());

  private final ManagedChannel channel;
  private final StreamsClient.Load load;
  private final byte[] request;
  private final CompletableFuture<Histogram> result = new CompletableFuture<>();

  // Of the event loop's thread.
  private final Histogram times = new Histogram(DIGITS);
  private long end;
  private int underWay;

  private GrpcClientMain(ManagedChannel channel, StreamsClient.Load load) {
    this.channel = channel;
    this.load = load;
    this.request = GrpcService.request(load.micros());
  }

  /** Answers until standard input ends. */
  public static void main(String[] args) throws Exception {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String line;
    while ((line = in.readLine()) != null) {
      StreamsClient.Load load = Json.read(line, StreamsClient.Load.class);
      JvmProcess.say(Json.line(run(Objects.requireNonNull(load))));
    }
    System.exit(0);
  }

  /** Loads a server. */
  static StreamsClient.Result run(StreamsClient.Load load)
      throws IOException, InterruptedException, ExecutionException, TimeoutException {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), load.port()))
            .eventLoopGroup(LOOP)
            .channelType(NioSocketChannel.class)
            .directExecutor()
            .disableRetry()
            .usePlaintext()
            .build();
    try {
      GrpcClientMain client = new GrpcClientMain(channel, load);
      byte[] first =
          ClientCalls.blockingUnaryCall(
              channel, GrpcService.METHOD, CallOptions.DEFAULT, client.request); // connects
      StreamAnswer.check(first, load.micros());
      long cpu = OtherProcesses.processNanos();
      LOOP.execute(client::start);
      Histogram times = client.result.get(load.nanos() + PATIENCE_NANOS, TimeUnit.NANOSECONDS);
      return new StreamsClient.Result(
          times.getTotalCount(),
          OtherProcesses.processNanos() - cpu,
          times.getValueAtPercentile(50) / MICRO,
          times.getValueAtPercentile(99) / MICRO);
    } finally {
      channel.shutdownNow();
    }
  }

  private void start() {
    end = System.nanoTime() + load.nanos();
    for (underWay = 0; underWay < load.streams(); underWay++) {
      ask();
    }
  }

  private void ask() {
    ClientCalls.asyncUnaryCall(
        channel.newCall(GrpcService.METHOD, CallOptions.DEFAULT), request, new Call());
  }

  /** One call; the next one follows it while there is time. */
  private final class Call implements StreamObserver<byte[]> {
    private final long sent = System.nanoTime();
    private byte[] answer = {};

    @Override
    public void onNext(byte[] message) {
      answer = message;
    }

    @Override
    public void onError(Throwable cause) {
      result.completeExceptionally(cause);
    }

    @Override
    public void onCompleted() {
      try {
        StreamAnswer.check(answer, load.micros());
      } catch (IOException e) {
        onError(e);
        return;
      }
      long now = System.nanoTime();
      if (now < end) {
        times.recordValue(now - sent);
        ask();
      } else if (--underWay == 0) {
        result.complete(times);
      }
    }
  }
}
