package dev.mely.bench.server;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What the server does. */
enum Service {
  /** Sends back its input. */
  ECHO,

  /** Answers frames of {@link Frame#BYTES}, some of which need computation. */
  SKEW,

  /** A counter in an atomic variable, used by all connections' handlers. */
  COUNTER_ATOMIC,

  /** A counter in a plain variable, owned by one color, or by one loop of Netty's group. */
  COUNTER_OWNED,

  /** A counter with parallel reads, see {@link SharedCounterHandler}. */
  COUNTER_SHARED,

  /** Serves files: SWS of mely-examples, a complete server. */
  SWS,

  /** As SWS, on {@code dev.mely.nio}, without Netty and without an event loop group. */
  SWS_CORE,

  /** Answers each byte with a large response. */
  LARGE,

  /** Serves encrypted pieces of a file, see {@link SfsSite}. */
  SFS;

  /** The name on the command line. */
  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Makes the service's shared state and pipelines.
   *
   * @param group runs the service
   * @param files what to serve; empty for services without files
   * @return initializes the pipeline of an accepted connection
   */
  @SuppressWarnings("deprecation") // addLast with an executor: Netty has no other way
  Consumer<Channel> start(EventLoopGroup group, @Nullable Path files) throws IOException {
    return switch (this) {
      case ECHO -> channel -> channel.pipeline().addLast(EchoHandler.INSTANCE);
      case LARGE -> channel -> channel.pipeline().addLast(LargeHandler.INSTANCE);
      case SKEW -> {
        ServiceHandler.prepare();
        yield channel ->
            channel
                .pipeline()
                .addLast(new FixedLengthFrameDecoder(Frame.BYTES))
                .addLast(new ServiceHandler());
      }
      case COUNTER_ATOMIC -> {
        AtomicLong counter = new AtomicLong();
        CounterHandler handler = new CounterHandler(counter::get, counter::incrementAndGet);
        yield channel -> channel.pipeline().addLast(handler);
      }
      case COUNTER_OWNED -> {
        CounterHandler handler = CounterHandler.unshared();
        EventExecutor owner = Group.owner(group, "counter");
        yield channel -> channel.pipeline().addLast(owner, handler);
      }
      case COUNTER_SHARED -> {
        SharedCounterHandler.Counter counter = SharedCounterHandler.Counter.on(group);
        yield channel -> channel.pipeline().addLast(new SharedCounterHandler(counter));
      }
      case SFS -> {
        Path file = Objects.requireNonNull(files, "nothing to serve").resolve(SfsSite.FILE);
        ReadHandler handler = new ReadHandler(FileChannel.open(file));
        SslContext context = SelfSigned.serverContext();
        yield channel ->
            channel
                .pipeline()
                .addLast(context.newHandler(channel.alloc()))
                .addLast(new HttpServerCodec())
                .addLast(handler);
      }
      case SWS, SWS_CORE -> throw new IllegalArgumentException(this + " is a server by itself");
    };
  }
}
