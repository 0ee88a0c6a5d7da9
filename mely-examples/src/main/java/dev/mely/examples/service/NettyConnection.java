package dev.mely.examples.service;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connection on Netty: the only handler of its channel. */
@SuppressWarnings("FutureReturnValueIgnored") // a failed close or write ends the channel anyway
final class NettyConnection extends ChannelInboundHandlerAdapter
    implements Connection, Clients.Member {
  private static final Logger LOG = LoggerFactory.getLogger(NettyConnection.class);

  private final Protocol protocol;
  private final Clients clients;

  // Set by the first call, handlerAdded.
  @SuppressWarnings("NullAway.Init")
  private Channel channel;

  @SuppressWarnings("NullAway.Init")
  private Session session;

  private long received;
  private long sent;
  private long unsent;
  private final Idleness idleness = new Idleness();
  private boolean waited;

  /** The client has ended its output. */
  private boolean inputOver;

  /** The session has been told that nothing more comes: what comes is dropped. */
  private boolean told;

  private boolean finishing;
  private boolean left;
  private long dropped;
  private @Nullable Future<?> linger;

  NettyConnection(Protocol protocol, Clients clients) {
    this.protocol = protocol;
    this.clients = clients;
  }

  // ---- Events

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    channel = ctx.channel();
    if (!clients.enter()) {
      left = true;
      channel.close();
      return;
    }
    boolean opened = false;
    try {
      session = protocol.open(this);
      clients.add(this);
      opened = true;
    } finally {
      if (!opened) {
        left = true;
        clients.forget(this);
        clients.abandon();
        channel.close();
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    received += bytes.readableBytes();
    try {
      if (!told) {
        session.received(bytes.nioBuffer());
        return;
      }
      dropped += bytes.readableBytes();
      if (dropped > ServiceConfig.LINGER_BYTES) {
        abort();
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof ChannelInputShutdownEvent && !inputOver) {
      inputOver = true;
      if (!finishing) {
        tell();
      } else if (unsent == 0) {
        abort();
      }
    }
  }

  private void tell() {
    if (!told && channel.isActive()) {
      told = true;
      session.ended();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    leave();
  }

  /** Also of a channel that was never active. */
  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    leave();
  }

  private void leave() {
    if (left) {
      return;
    }
    left = true;
    if (linger != null) {
      linger.cancel(false);
    }
    clients.leave(this);
    session.closed();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof IOException) {
      LOG.debug("a connection broke", cause);
    } else {
      LOG.error("closing a connection after an unexpected failure", cause);
    }
    abort();
  }

  // ---- Connection

  @Override
  public void send(ByteBuffer bytes) {
    if (finishing || !channel.isActive()) {
      return;
    }
    int length = bytes.remaining();
    sent += length;
    unsent += length;
    channel
        .writeAndFlush(Unpooled.wrappedBuffer(bytes))
        .addListener(
            written -> {
              unsent -= length;
              if (!written.isSuccess()) {
                abort();
              } else if (unsent == 0 && waited) {
                waited = false;
                guarded(this::drained);
              }
            });
    waited |= unsent > 0;
  }

  private void drained() {
    if (finishing) {
      end();
    } else {
      session.drained();
    }
  }

  @Override
  public long unsent() {
    return unsent;
  }

  @Override
  public void pause() {
    channel.config().setAutoRead(false);
  }

  @Override
  public void resume() {
    channel.config().setAutoRead(true);
  }

  @Override
  public void finish() {
    if (finishing || !channel.isActive()) {
      return;
    }
    finishing = true;
    told = true;
    resume(); // what comes is dropped
    if (unsent == 0) {
      end();
    }
  }

  /** All has been sent: a close with unread input would destroy it on the way. */
  private void end() {
    if (inputOver || !(channel instanceof DuplexChannel duplex)) {
      abort();
      return;
    }
    linger =
        channel
            .eventLoop()
            .schedule(this::abort, ServiceConfig.LINGER.toMillis(), TimeUnit.MILLISECONDS);
    duplex
        .shutdownOutput()
        .addListener(
            shut -> {
              if (!shut.isSuccess()) {
                abort();
              }
            });
  }

  @Override
  public void abort() {
    channel.close();
  }

  @Override
  public void execute(Runnable task) {
    channel.eventLoop().execute(() -> guarded(task));
  }

  /** What Netty would only log: a fault costs its connection, nobody waits for ever. */
  private void guarded(Runnable task) {
    boolean done = false;
    try {
      task.run();
      done = true;
    } finally {
      if (!done) {
        abort();
      }
    }
  }

  private void lookNow() {
    if (idleness.isOver(received + sent - unsent)) {
      LOG.debug("a connection is idle");
      abort();
    }
  }

  // ---- Any thread

  @Override
  public void stop() {
    execute(this::tell);
  }

  @Override
  public void kill() {
    abort();
  }

  @Override
  public void look() {
    execute(this::lookNow);
  }
}
