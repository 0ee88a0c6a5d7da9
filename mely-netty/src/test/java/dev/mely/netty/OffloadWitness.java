package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufHolder;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Notes each callback, and whether it runs where it must, and passes it on. */
class OffloadWitness extends ChannelDuplexHandler {
  final BlockingQueue<String> seen;
  private final String prefix;

  /** The channel whose event loop it must not be in. Null: it must be in its own. */
  private final @Nullable Channel real;

  /**
   * @param real the channel that it is off-loaded from; null: it is not off-loaded
   */
  OffloadWitness(@Nullable Channel real) {
    this("", real, new LinkedTransferQueue<>());
  }

  OffloadWitness(String prefix, @Nullable Channel real, BlockingQueue<String> seen) {
    this.prefix = prefix;
    this.real = real;
    this.seen = seen;
  }

  final void note(ChannelHandlerContext ctx, String event) {
    boolean inside = ctx.executor().inEventLoop() && ctx.channel().eventLoop().inEventLoop();
    if (real != null && (ctx.channel() == real || real.eventLoop().inEventLoop())) {
      inside = false;
    }
    seen.add(prefix + event + (inside ? "" : " outside"));
  }

  /** The next callback. */
  final String next() throws InterruptedException {
    String event = seen.poll(Harness.PATIENCE_SECONDS, TimeUnit.SECONDS);
    return event == null ? "nothing" : event;
  }

  /** Waits for these callbacks, and no others; {@code complete} may come in between. */
  final void expect(String... events) throws InterruptedException {
    List<String> all = new ArrayList<>();
    for (String event : events) {
      String found = next();
      while (found.equals("complete") && !event.equals("complete")) {
        found = next();
      }
      all.add(found);
      assertEquals(event, found, () -> "after " + all);
    }
  }

  /** Waits for a callback, whatever comes before it. */
  final void skipTo(String event) throws InterruptedException {
    List<String> all = new ArrayList<>();
    String found = next();
    while (!found.equals(event)) {
      all.add(found);
      assertEquals(false, found.equals("nothing"), () -> event + " does not come: " + all);
      found = next();
    }
  }

  /** No further callback may come. */
  final void expectNoMore() {
    seen.removeIf("complete"::equals);
    assertEquals(List.of(), List.copyOf(seen));
  }

  static String text(Object message) {
    ByteBuf bytes =
        message instanceof ByteBufHolder holder
            ? holder.content()
            : message instanceof ByteBuf buffer ? buffer : null;
    return bytes == null ? message.toString() : bytes.toString(StandardCharsets.US_ASCII);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "added");
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "removed");
  }

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "registered");
    ctx.fireChannelRegistered();
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "unregistered");
    ctx.fireChannelUnregistered();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "active");
    ctx.fireChannelActive();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "inactive");
    ctx.fireChannelInactive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    note(ctx, "read " + text(message));
    ctx.fireChannelRead(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "complete");
    ctx.fireChannelReadComplete();
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    String name =
        event == ChannelInputShutdownEvent.INSTANCE
            ? "input shutdown"
            : event == ChannelInputShutdownReadComplete.INSTANCE
                ? "input shutdown complete"
                : event.toString();
    note(ctx, "event " + name);
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "writable " + ctx.channel().isWritable());
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
    note(ctx, "caught " + cause.getMessage());
    ctx.fireExceptionCaught(cause);
  }

  @Override
  public void connect(
      ChannelHandlerContext ctx, SocketAddress remote, SocketAddress local, ChannelPromise promise)
      throws Exception {
    note(ctx, "connect");
    ctx.connect(remote, local, promise);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) throws Exception {
    note(ctx, "close");
    ctx.close(promise);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws Exception {
    note(ctx, "write " + text(message));
    ctx.write(message, promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) throws Exception {
    note(ctx, "flush");
    ctx.flush();
  }
}
