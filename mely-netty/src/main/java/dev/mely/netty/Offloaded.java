package dev.mely.netty;

import io.netty.buffer.ByteBufHolder;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.PromiseNotifier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Off-loaded handlers of one channel: what reaches them is an event of their color, in the order in
 * which the channel's pipeline tells it.
 *
 * <pre>
 *   channel's event loop                                color
 *   OffloadHandler -- OffloadMessage, OffloadSignal --> OffloadPipeline: the handlers
 *   next handler, or the channel <--------------------- Outbound: head and tail of that pipeline
 * </pre>
 *
 * <p>Reads are held back while as many messages, or bytes, wait as may. The event loop counts what
 * arrives, the color what it has handled, each in fields that it alone writes. If the event loop
 * holds a read back, it says so and then counts again; the color counts and then looks whether a
 * read is held back. So one of the two sees the other (Dekker), and the read goes on.
 *
 * <p>Streams of HTTP/2 are bounded by their windows instead: a message is credited when it has been
 * handled, and what no window bounds has a bound of its own. Their reads are not held back, because
 * the frames would then wait in the stream's channel, and a reset, which is a user event, would
 * overtake them.
 */
final class Offloaded implements Outbound.Owner {
  /** Bursts whose ends may wait: far more than there are messages, unless those are read away. */
  private static final int MAX_BURSTS = 1024;

  private static final OffloadStep.Runner SIGNALS = new OffloadStep.Runner(null);

  private final ChannelHandlerContext ctx;
  private final OffloadLoop loop;
  private final Outbound outbound;
  private final OffloadChannel channel;
  private final OffloadPipeline pipeline;
  private final PassedWrites passed;
  private final OffloadStep.Runner messages;
  private final int maxMessages;
  private final int maxBytes;

  /** What a message takes of the window of its HTTP/2 stream; null: the channel credits it. */
  private final @Nullable Credit credit;

  /** The group whose quiet period begins anew with each event; null: there is none. */
  private final @Nullable GroupState groupState;

  /** Whether a read is held back until messages have been handled. Written by the event loop. */
  private volatile boolean readHeld;

  /** Ends of bursts that wait. */
  private final AtomicInteger bursts = new AtomicInteger();

  private final ReadHold hold = new ReadHold();

  /** Messages. Written by the event loop. */
  private volatile long arrived;

  /** Written by the event loop. */
  private volatile long arrivedBytes;

  /** Messages. Written by the color. */
  private volatile long handled;

  /** Written by the color, before {@link #handled}. */
  private volatile long handledBytes;

  /** Event loop only: a first message follows at once, and what opens the channel waits for it. */
  private boolean headFollows;

  /** Event loop only: what waits for the first message; null: nothing. */
  private @Nullable Consumer<ChannelPipeline> opening;

  /** Color only: handled bytes that the stream's window has not been credited with. */
  private int owed;

  Offloaded(
      ChannelHandlerContext ctx,
      OffloadLoop loop,
      List<ChannelHandler> handlers,
      OffloadSettings settings) {
    this.ctx = ctx;
    this.loop = loop;
    this.outbound = new Outbound(ctx, this);
    this.channel = OffloadViews.of(ctx.channel(), loop, outbound);
    this.pipeline = (OffloadPipeline) channel.pipeline();
    this.passed = new PassedWrites(ctx.channel());
    this.messages = OffloadStep.Runner.of(settings.subject());
    this.maxMessages = settings.maxMessages();
    this.maxBytes = settings.maxBytes();
    this.credit = settings.credit();
    this.headFollows = settings.headFollows();
    this.groupState = loop.parent() instanceof MelyEventLoopGroup group ? group.groupState() : null;
    pipeline.addLast(handlers.toArray(new ChannelHandler[0])); // they are told in their color
  }

  // ---- Event loop only

  /** The handlers have been added: first of all they are told. */
  void added() {
    open(
        inner -> {
          // Netty's pipeline calls handlerAdded when it is told that the channel is registered.
          // The handlers are not told of it by this: it may have been long ago.
          ChannelHandler gate = new Gate();
          inner.addFirst(gate);
          inner.fireChannelRegistered();
          if (inner.context(gate) != null) { // a handler may have emptied the pipeline
            inner.remove(gate);
          }
        });
  }

  /** Tells a signal of the channel's opening: at once, or with the first message. */
  void open(Consumer<ChannelPipeline> signal) {
    if (headFollows) {
      opening = opening == null ? signal : both(opening, signal);
    } else {
      signal(signal);
    }
  }

  /** The second is told even if the first fails. */
  private static Consumer<ChannelPipeline> both(
      Consumer<ChannelPipeline> first, Consumer<ChannelPipeline> second) {
    return inner -> {
      try {
        first.accept(inner);
      } finally {
        second.accept(inner);
      }
    };
  }

  /** What was held back has been posted; nothing is held back from now on. */
  private void opened() {
    headFollows = false;
    opening = null;
  }

  void registered() {
    open(
        inner -> {
          channel.setRegistered(true);
          inner.fireChannelRegistered(); // which its tail does not hand on
          outbound.call(ctx::fireChannelRegistered);
        });
  }

  void unregistered() {
    signal(
        inner -> {
          channel.setRegistered(false);
          inner.fireChannelUnregistered();
        });
  }

  void read(Object message) {
    post(message, false);
  }

  void userEvent(Object event) {
    post(event, true);
  }

  private void post(Object message, boolean userEvent) {
    OffloadMessage event = null;
    try {
      int bytes = credit == null || userEvent ? 0 : credit.bytesOf(message);
      event = new OffloadMessage(this, opening, message, userEvent, sizeOf(message), bytes);
      arrive(event, 1);
      loop.post(messages, event);
      opened();
    } catch (Throwable t) {
      if (event != null) {
        arrive(event, -1);
        resume(); // the color may have counted it
      }
      ReferenceCountUtil.safeRelease(message);
      if (!(t instanceof RejectedExecutionException && ctx.executor().isShuttingDown())) {
        ctx.fireExceptionCaught(t);
      }
      return;
    }
    if (credit != null && isFull()) {
      credit.exceeded(ctx);
    }
  }

  /** At least what it holds: an estimator of HTTP/2 counts DATA frames alone. */
  private int sizeOf(Object message) {
    int held = message instanceof ByteBufHolder holder ? holder.content().readableBytes() : 0;
    return Math.max(held, outbound.sizeOf(message));
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // the event loop alone writes
  private void arrive(OffloadMessage event, int change) {
    if (event.bytes == 0) {
      arrivedBytes = arrivedBytes + (long) change * event.size;
      arrived = arrived + change;
    }
  }

  /** Anything that the handlers are told of, beside messages and user events. */
  void signal(Consumer<ChannelPipeline> signal) {
    try {
      if (opening != null) {
        loop.post(SIGNALS, new OffloadSignal(this, opening));
      }
      opened();
      loop.post(SIGNALS, new OffloadSignal(this, signal));
    } catch (RejectedExecutionException e) {
      drop(signal); // the runtime has ended
    }
  }

  /** Whether handlers have added one that sees what is written. Racy, as adding is. */
  boolean hasOutboundHandler() {
    for (Map.Entry<String, ChannelHandler> entry : pipeline) {
      if (entry.getValue() instanceof ChannelOutboundHandler) {
        return true;
      }
    }
    return false;
  }

  /** The end of a burst. It counts for a bound, too: a burst may have brought no message. */
  void readComplete() {
    bursts.getAndIncrement();
    signal(
        inner -> {
          bursts.getAndDecrement();
          burstHandled();
          inner.fireChannelReadComplete();
          goOnReading();
        });
  }

  /** A write of a handler behind, or of the program. */
  void write(Object message, ChannelPromise promise) {
    int size;
    try {
      size = outbound.sizeOf(message);
    } catch (Throwable t) {
      ReferenceCountUtil.safeRelease(message);
      promise.tryFailure(t);
      return;
    }
    passed.add(size);
    signal(new PassedWrite(this, message, promise, size));
  }

  /** Another operation of a handler behind, or of the program. */
  void operation(
      ChannelPromise promise,
      BiFunction<ChannelPipeline, ChannelPromise, ChannelFuture> inside,
      Function<ChannelPromise, ChannelFuture> past) {
    signal(new PassedOperation(this, promise, inside, past));
  }

  /** A promise of the inner channel that completes one of the real channel. */
  ChannelPromise innerPromise(ChannelPromise outer) {
    if (outer.isVoid()) {
      return channel.voidPromise();
    }
    ChannelPromise inner = channel.newPromise();
    inner.addListener(new PromiseNotifier<>(false, outer));
    return inner;
  }

  /** The channel's pipeline asks for a read, or a handler does. */
  @Override
  public void read() {
    readHeld = credit == null && isFull();
    if (readHeld && isFull()) {
      hold.hold(ctx);
      return;
    }
    readHeld = false;
    hold.read(ctx);
  }

  @Override
  public void resume() {
    if (readHeld) {
      read();
    }
  }

  /** Exact in the event loop; in the color it may be too high for a moment. */
  private boolean isFull() {
    return arrived - handled >= maxMessages
        || arrivedBytes - handledBytes >= maxBytes
        || (credit == null && bursts.get() >= MAX_BURSTS);
  }

  /** What waited to be written is down to the low-water mark. */
  @Override
  public void drained() {
    signal(
        inner -> {
          if (outbound.becomesWritable()) {
            outbound.fireOwnWritability(inner);
          }
        });
  }

  // ---- For what passes the handlers

  PassedWrites passed() {
    return passed;
  }

  Outbound outbound() {
    return outbound;
  }

  // ---- Color only

  void handle(OffloadMessage event) {
    outbound.begin();
    try {
      tell(event);
    } finally {
      count(event);
      owed += event.bytes;
      goOnReading();
      outbound.end();
      noteActivity();
    }
  }

  private void tell(OffloadMessage event) {
    try {
      if (event.before != null) {
        event.before.accept(pipeline);
      }
    } finally {
      if (event.userEvent) {
        pipeline.fireUserEventTriggered(event.message);
      } else {
        pipeline.fireChannelRead(event.message);
      }
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // the color alone writes
  private void count(OffloadMessage event) {
    if (event.bytes == 0) {
      handledBytes = handledBytes + event.size;
      handled = handled + 1;
    }
  }

  void handle(OffloadSignal event) {
    outbound.begin();
    try {
      event.signal.accept(pipeline);
    } finally {
      outbound.end();
      noteActivity();
    }
  }

  /** A read that is held back need not be any more. */
  private void goOnReading() {
    if (readHeld && !isFull()) {
      outbound.resume();
    }
  }

  /** A burst has been handled. */
  private void burstHandled() {
    if (credit != null && owed > 0) {
      int bytes = owed;
      owed = 0;
      outbound.write(credit.frame(bytes), null);
      outbound.flush();
    }
  }

  /** All handlers leave their pipeline. */
  static void removeAll(ChannelPipeline inner) {
    while (inner.last() != null) {
      inner.removeLast();
    }
  }

  private void noteActivity() {
    if (groupState != null) {
      groupState.noteActivity();
    }
  }

  // ---- The runtime has ended

  void drop(OffloadMessage event) {
    count(event);
    ReferenceCountUtil.safeRelease(event.message);
    goOnReading(); // there may have been no memory for one event only
  }

  static void drop(Consumer<ChannelPipeline> signal) {
    if (signal instanceof PassedWrite write) {
      write.drop();
    } else if (signal instanceof PassedOperation operation) {
      operation.drop();
    }
  }

  /** Keeps the first signal of a pipeline from its handlers. */
  private static final class Gate extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRegistered(ChannelHandlerContext context) {}
  }
}
