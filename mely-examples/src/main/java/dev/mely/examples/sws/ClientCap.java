package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.LoggerFactory;

/**
 * Gives each accepted connection its handlers, counts the clients and refuses those above the
 * limit: the paper's Accept and DecClientAccepted, with an atomic counter instead of a color.
 */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ClientCap extends ChannelInitializer<Channel> {
  /** How many refused clients at a time get a 503; further ones are just closed. */
  static final int MAX_TOLD = 256;

  /** How long {@link #close} takes at most, in addition to the drain timeout. */
  static final long CLOSE_MILLIS = 1_000;

  final AtomicInteger clients = new AtomicInteger();
  final LongAdder served = new LongAdder();
  final LongAdder refused = new LongAdder();

  private final SwsConfig config;
  private final FileStore store;
  private final AtomicInteger told = new AtomicInteger();
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private volatile boolean closing;

  ClientCap(SwsConfig config, FileStore store) {
    this.config = config;
    this.store = store;
  }

  @Override
  protected void initChannel(Channel channel) {
    connections.add(channel);
    // Read after the add to the group (Dekker pattern): either close finds it, or this sees the
    // flag.
    if (closing) {
      channel.close();
    } else if (enter(channel, clients, config.maxClients())) {
      served.increment();
      RequestDecoder decoder = new RequestDecoder();
      channel
          .pipeline()
          .addLast(decoder, new HttpFileHandler(store, config.idleTimeout(), decoder));
    } else {
      refused.increment();
      if (enter(channel, told, MAX_TOLD)) {
        channel.pipeline().addLast(new LingeringClose(Answer.tooManyClients(HttpClock.now())));
      } else {
        channel.close();
      }
    }
  }

  /** Counts a connection until it closes; returns false if there are too many. */
  private static boolean enter(Channel channel, AtomicInteger count, int max) {
    if (count.incrementAndGet() > max) {
      count.decrementAndGet();
      return false;
    }
    boolean counted = false;
    try {
      channel.closeFuture().addListener(closed -> count.decrementAndGet());
      counted = true;
    } finally {
      if (!counted) {
        count.decrementAndGet();
      }
    }
    return true;
  }

  /** Closes the connection, which also uncounts it. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // first: logging could fail for lack of memory
    LoggerFactory.getLogger(ClientCap.class).error("cannot serve a connection", cause);
  }

  /** Closes each connection once its requests are answered or the drain timeout has passed. */
  void close() {
    closing = true;
    for (Channel connection : connections) {
      connection.pipeline().fireUserEventTriggered(HttpFileHandler.Drain.EVENT);
    }
    connections.newCloseFuture().awaitUninterruptibly(config.drainTimeout().toMillis());
    connections.close().awaitUninterruptibly(CLOSE_MILLIS);
  }
}
