package dev.mely.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection that carries numbered frames: channel number, sequence number, checksum.
 * Every callback checks that it is alone, and that {@code inEventLoop} says so.
 *
 * <p>The server answers each frame with the same one. The client sends a window of frames, and the
 * next when all of them are back.
 */
final class SequenceHandler extends ChannelInboundHandlerAdapter {
  static final int FRAME = 12;

  private final boolean client;
  private final int frames;
  private final int window;
  private final Queue<String> faults;
  private final Runnable done;

  /** Not atomic on purpose: a second thread in the color would lose an update. */
  private int callbacks;

  private final AtomicInteger callbacksAtomic = new AtomicInteger();
  private final AtomicInteger inside = new AtomicInteger();
  private final ByteBuffer partial = ByteBuffer.allocate(FRAME);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

  private int number = -1;
  private int sent;
  private int received;
  private int tasks;
  private @Nullable EventLoop loop;

  /**
   * @param client whether this end starts, and ends when all frames are back
   * @param number of the client's channel; the server learns it
   * @param frames to send
   * @param window frames on their way at a time
   * @param faults takes what is wrong
   * @param done called when all frames are back (client), or at the end of the channel (server)
   */
  SequenceHandler(
      boolean client, int number, int frames, int window, Queue<String> faults, Runnable done) {
    this.client = client;
    this.number = number;
    this.frames = frames;
    this.window = window;
    this.faults = faults;
    this.done = done;
  }

  /** Number of threads that this end has run on. */
  int threads() {
    return threads.size();
  }

  @Override
  public String toString() {
    return "%s %d: %d callbacks, %d frames, on %s"
        .formatted(client ? "client" : "server", number, callbacks, received, threads);
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) {
    enter(ctx, "channelActive");
    if (client) {
      send(ctx);
    }
    leave();
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    enter(ctx, "channelRead");
    ByteBuf in = (ByteBuf) message;
    // One operation per buffer: the paranoid leak detector takes a stack trace for each.
    byte[] bytes = ByteBufUtil.getBytes(in);
    in.release();
    ByteBuffer answer = ByteBuffer.allocate(bytes.length + FRAME);
    int taken = 0;
    while (taken < bytes.length) {
      int n = Math.min(bytes.length - taken, partial.remaining());
      partial.put(bytes, taken, n);
      taken += n;
      if (!partial.hasRemaining()) {
        check(partial);
        answer.put(partial.flip());
        partial.clear();
      }
    }
    if (!client) {
      ctx.write(ctx.alloc().buffer().writeBytes(answer.flip()), ctx.voidPromise());
    } else if (received == sent) {
      send(ctx);
    }
    leave();
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    enter(ctx, "channelReadComplete");
    ctx.flush();
    if ((++tasks & 7) == 0) {
      ctx.channel()
          .eventLoop()
          .execute(
              () -> {
                enter(ctx, "task");
                leave();
              });
    }
    leave();
    if (client && received == frames) {
      received++; // once
      done.run();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    enter(ctx, "channelInactive");
    leave();
    if (!client) {
      done.run();
    }
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    faults.add((client ? "client " : "server ") + cause);
    ctx.close();
  }

  private void send(ChannelHandlerContext ctx) {
    int n = Math.min(window, frames - sent);
    if (n == 0) {
      return;
    }
    ByteBuffer out = ByteBuffer.allocate(n * FRAME);
    for (int i = 0; i < n; i++) {
      out.putInt(number).putInt(sent).putInt(checksum(number, sent));
      sent++;
    }
    ctx.writeAndFlush(ctx.alloc().buffer().writeBytes(out.flip()), ctx.voidPromise());
  }

  private void check(ByteBuffer frame) {
    int from = frame.getInt(0);
    int sequence = frame.getInt(4);
    if (number == -1) {
      number = from;
    }
    if (from != number || sequence != received || frame.getInt(8) != checksum(from, sequence)) {
      faults.add(
          "channel %d expected frame %d, got %d of %d".formatted(number, received, sequence, from));
    }
    received++;
  }

  private static int checksum(int from, int sequence) {
    return (from * 31 + sequence) * 0x9E3779B9;
  }

  private void enter(ChannelHandlerContext ctx, String what) {
    if (!inside.compareAndSet(0, 1)) {
      faults.add(what + ": two threads in one color");
    }
    callbacks++;
    if (callbacksAtomic.incrementAndGet() != callbacks) {
      faults.add(what + ": an earlier callback is not visible");
      callbacks = callbacksAtomic.get();
    }
    threads.add(Thread.currentThread());
    Channel channel = ctx.channel();
    EventLoop now = channel.eventLoop();
    if (loop == null) {
      loop = now;
    }
    if (loop != now) {
      faults.add(what + ": the event loop has changed");
    }
    if (!now.inEventLoop() || !ctx.executor().inEventLoop()) {
      faults.add(what + ": not in the event loop");
    }
    Channel parent = channel.parent();
    if (parent != null && parent.eventLoop().inEventLoop()) {
      faults.add(what + ": in the event loop of another channel");
    }
  }

  private void leave() {
    inside.set(0);
  }
}
