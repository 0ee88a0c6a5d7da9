package dev.mely.examples.sws;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.time.Duration;
import org.slf4j.LoggerFactory;

/** Gives each accepted connection its handlers. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class ConnectionPipeline extends ChannelInitializer<Channel> {
  private final FileStore store;
  private final Disk disk;
  private final Duration idleTimeout;
  private final ClientCap cap;
  private final ChannelGroup connections;

  private volatile boolean draining;

  ConnectionPipeline(
      FileStore store, Disk disk, Duration idleTimeout, ClientCap cap, ChannelGroup connections) {
    this.store = store;
    this.disk = disk;
    this.idleTimeout = idleTimeout;
    this.cap = cap;
    this.connections = connections;
  }

  /** From now on, connections that come in too late are closed. */
  void drain() {
    draining = true;
  }

  /** The connection goes, and with it the place that it may have taken. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ctx.close(); // first: there may be no memory to say why
    LoggerFactory.getLogger(ConnectionPipeline.class).error("cannot serve a connection", cause);
  }

  @Override
  protected void initChannel(Channel channel) {
    connections.add(channel);
    // Read after the channel is in the group: either it is drained, or we see the flag here.
    if (draining) {
      channel.close();
      return;
    }
    if (!cap.admit(channel)) {
      cap.turnAway(channel);
      return;
    }
    RequestDecoder decoder = new RequestDecoder();
    channel
        .pipeline()
        .addLast(decoder)
        .addLast(new HttpResponseEncoder())
        .addLast(new RequestParser())
        .addLast(new StallGuard(idleTimeout, decoder))
        .addLast(new HttpFileHandler(store, disk, decoder));
  }
}
