package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannel;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The handlers of a server's streams: they write down what they are told, and check that it is told
 * in the stream's color, one thing at a time. What a stream does with a frame is up to the test.
 * Streams are known by their number: for one connection.
 */
@Sharable
final class StreamRecorder extends ChannelInitializer<Http2StreamChannel> {
  /** What a stream does with a frame; the frame is released after it. */
  interface Reaction {
    void on(ChannelHandlerContext ctx, Http2StreamFrame frame) throws Exception;
  }

  /** What a stream does when it may write again, or not any more. */
  interface Writability {
    void changed(ChannelHandlerContext ctx);
  }

  private static final String WRITABILITY = "writability";

  final Queue<String> faults = new ConcurrentLinkedQueue<>();

  /** Bytes of data, padding included, whose handler has begun. */
  final AtomicLong begunBytes = new AtomicLong();

  /** Bytes of data, padding included, whose handler has ended. */
  final AtomicLong handledBytes = new AtomicLong();

  private final Reaction reaction;
  private final Map<Integer, Log> logs = new ConcurrentHashMap<>();
  private final AtomicInteger ended = new AtomicInteger();
  private @Nullable Writability writability;

  StreamRecorder(Reaction reaction) {
    this.reaction = reaction;
  }

  StreamRecorder() {
    this((ctx, frame) -> {});
  }

  StreamRecorder writability(Writability changed) {
    this.writability = changed;
    return this;
  }

  @Override
  protected void initChannel(Http2StreamChannel channel) {
    channel.pipeline().addLast(new Log(channel.stream().id()));
  }

  /** What the stream has been told so far. */
  List<String> events(int stream) {
    Log log = logs.get(stream);
    return log == null ? List.of() : List.copyOf(log.events);
  }

  /** Waits until this is the whole life of the stream. */
  void awaitLife(int stream, String... expected) {
    Harness.await().until(() -> events(stream).contains("unregistered"));
    assertEquals(List.of(expected), events(stream), "stream " + stream);
  }

  void awaitEvent(int stream, String event) {
    Harness.await().until(() -> events(stream).contains(event));
  }

  /** Waits for the end of this number of streams, and looks for faults. */
  void awaitEnds(int streams) {
    Harness.await().until(() -> ended.get() >= streams);
    assertEquals(streams, ended.get());
    assertNoFaults();
  }

  void assertNoFaults() {
    assertEquals(List.of(), List.copyOf(faults));
    for (Map.Entry<Integer, Log> log : logs.entrySet()) {
      Queue<String> events = log.getValue().events;
      for (String once : List.of("active", "inactive", "unregistered")) {
        long times = events.stream().filter(once::equals).count();
        assertTrue(times <= 1, () -> "stream " + log + ": " + times + " times " + once);
      }
    }
  }

  /** How many streams have been handled by more than one thread. */
  long moved() {
    return logs.values().stream().filter(log -> log.threads.size() > 1).count();
  }

  private final class Log extends ChannelInboundHandlerAdapter {
    private final int stream;
    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final AtomicReference<@Nullable Thread> inside = new AtomicReference<>();

    /** Not atomic on purpose: a second thread in the color would lose an update. */
    private int callbacks;

    private final AtomicInteger callbacksAtomic = new AtomicInteger();
    private volatile boolean unregistered;

    Log(int stream) {
      this.stream = stream;
      if (logs.put(stream, this) != null) {
        faults.add("stream " + stream + " has two handlers");
      }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      note(ctx, "active");
      ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
      int bytes = message instanceof Http2DataFrame data ? data.initialFlowControlledBytes() : 0;
      begunBytes.addAndGet(bytes);
      enter(ctx, "read");
      try {
        if (message instanceof Http2HeadersFrame headers) {
          events.add(headers.isEndStream() ? "headers end" : "headers");
        } else if (message instanceof Http2DataFrame data) {
          events.add("data " + bytes + (data.isEndStream() ? " end" : ""));
        } else {
          events.add(message.toString());
        }
        // In the handler of a frame this is not yet done: what is handled is credited after it.
        reaction.on(ctx, (Http2StreamFrame) message);
      } finally {
        ReferenceCountUtil.release(message);
        handledBytes.addAndGet(bytes);
        inside.set(null);
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      enter(ctx, "readComplete");
      inside.set(null);
      ctx.fireChannelReadComplete();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      note(
          ctx,
          event instanceof Http2ResetFrame reset
              ? "reset " + reset.errorCode()
              : "event " + event.getClass().getSimpleName());
      ctx.fireUserEventTriggered(event);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      Thread before = enter(ctx, WRITABILITY);
      if (writability != null) {
        writability.changed(ctx);
      }
      inside.set(before);
      ctx.fireChannelWritabilityChanged();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      note(ctx, "exception " + cause.getMessage());
      ctx.fireExceptionCaught(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      note(ctx, "inactive");
      ctx.fireChannelInactive();
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext ctx) {
      note(ctx, "unregistered");
      unregistered = true;
      ctx.fireChannelUnregistered();
      ended.incrementAndGet();
    }

    private void note(ChannelHandlerContext ctx, String event) {
      enter(ctx, event);
      events.add(event);
      inside.set(null);
    }

    private @Nullable Thread enter(ChannelHandlerContext ctx, String what) {
      Thread now = Thread.currentThread();
      Thread before = inside.getAndSet(now);
      // A write may say at once that the channel is not writable any more.
      if (before != null && !(before == now && what.equals(WRITABILITY))) {
        fault(what, "inside another callback");
      }
      callbacks++;
      if (callbacksAtomic.incrementAndGet() != callbacks) {
        fault(what, "an earlier callback is not visible");
        callbacks = callbacksAtomic.get();
      }
      threads.add(now);
      if (unregistered) {
        fault(what, "after the end");
      }
      Channel channel = ctx.channel();
      if (!(channel instanceof Http2StreamChannel h) || h.stream().id() != stream) {
        fault(what, channel + " is not the stream's channel");
      }
      if (!channel.eventLoop().inEventLoop() || !ctx.executor().inEventLoop()) {
        fault(what, "not in the event loop");
      }
      if (channel.parent().eventLoop().inEventLoop()) {
        fault(what, "in the connection's event loop");
      }
      return before;
    }

    private void fault(String what, String why) {
      faults.add("stream " + stream + ", " + what + ": " + why);
    }

    @Override
    public String toString() {
      return events.toString();
    }
  }
}
