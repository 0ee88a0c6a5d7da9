package dev.mely.netty;

import dev.mely.Color;
import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.MessageSizeEstimator;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles each message in the color of its key: messages of equal keys one after the other, over
 * all channels; messages of different keys in parallel.
 *
 * <pre>{@code
 * pipeline.addLast(
 *     new KeyedHandler(order -> ((Order) order).number(), (ctx, order) -> book((Order) order)));
 * }</pre>
 *
 * <p>The color is {@link Mely#color(Object) mely.color(key)}: events that are registered with it
 * elsewhere exclude the handler, too. Messages of one key are handled in the order in which the
 * channel has received them. What else the channel tells waits until the messages before it have
 * been handled, and holds back those behind it: user events and exceptions. {@code
 * channelReadComplete} goes on at once, and so does {@code channelInactive}: the channel removes
 * the handlers behind in the same task, so that nothing could reach them later.
 *
 * <p>Reads are held back while as many messages, or bytes, wait as may, see {@link
 * OffloadHandler#maxPending}; auto-read is off meanwhile, see {@link OffloadHandler}. What the
 * handler writes by its context is handed to the channel in order for each key. What it throws goes
 * to {@code exceptionCaught} of the next handler.
 *
 * <p>One for each pipeline. Thread-safe. Source: libasync-smp, section 3 (colors of data).
 */
public final class KeyedHandler extends ChannelDuplexHandler {
  private static final ClassValue<MessageHandler> HANDLERS =
      new ClassValue<>() {
        @Override
        protected MessageHandler computeValue(Class<?> type) {
          return new MessageHandler(type);
        }
      };

  private final Function<Object, ?> key;
  private final OffloadHandler.MessageHandler handler;
  private final MessageHandler messages;
  private @Nullable Mely mely;
  private int maxMessages = 16;
  private int maxBytes = 64 << 10;

  /** Messages that have not been handled yet. */
  private final AtomicInteger pending = new AtomicInteger();

  private final AtomicLong pendingBytes = new AtomicLong();

  /**
   * The event loop waits for messages to be handled. It sets this and then looks at {@link
   * #pending}; a color counts down and then looks at this (Dekker).
   */
  private final AtomicBoolean waiting = new AtomicBoolean();

  // ---- Event loop only

  /** What waits. Guarded by itself, for the day on which the event loop has ended. */
  private final Queue<Later> later = new ArrayDeque<>();

  private int waitingMessages;
  private boolean readHeld;

  private final ReadHold hold = new ReadHold();

  private @Nullable Color own;

  @SuppressWarnings("NullAway.Init") // when it is added
  private MessageSizeEstimator.Handle sizes;

  /**
   * Makes a handler, to be added to one pipeline.
   *
   * @param key of a message, called on the channel's event loop; null: a color of the channel's own
   * @param handler handles a message in the color of its key; the message is released afterwards
   */
  public KeyedHandler(Function<Object, ?> key, OffloadHandler.MessageHandler handler) {
    this.key = Objects.requireNonNull(key, "key");
    this.handler = Objects.requireNonNull(handler, "handler");
    this.messages = HANDLERS.get(handler.getClass());
  }

  /**
   * Sets the runtime, as {@link OffloadHandler#on} does.
   *
   * @param runtime to be closed by its owner, after the channels
   * @return this
   */
  public KeyedHandler on(Mely runtime) {
    mely = Objects.requireNonNull(runtime, "runtime");
    return this;
  }

  /**
   * Sets how much may wait to be handled before reads of the channel are held back, as {@link
   * OffloadHandler#maxPending} does.
   *
   * @param newMessages 1 or more; 16 by default
   * @param newBytes 1 or more; 64 KiB by default
   * @return this
   * @throws IllegalArgumentException if one is below 1
   */
  public KeyedHandler maxPending(int newMessages, int newBytes) {
    maxMessages = OffloadHandler.positive("messages", newMessages);
    maxBytes = OffloadHandler.positive("bytes", newBytes);
    return this;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    mely = OffloadHandler.runtime(mely, ctx.channel(), "KeyedHandler");
    sizes = ctx.channel().config().getMessageSizeEstimator().newHandle();
  }

  // ---- Messages

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (later.isEmpty()) {
      dispatch(ctx, message);
    } else {
      waitingMessages++;
      wait(
          ctx,
          new Later(
              message,
              () -> {
                waitingMessages--;
                dispatch(ctx, message);
              }));
    }
  }

  private void dispatch(ChannelHandlerContext ctx, Object message) {
    Message event;
    try {
      event = new Message(this, ctx, message, Math.max(0, sizes.size(message)));
    } catch (Throwable t) {
      ReferenceCountUtil.safeRelease(message);
      ctx.fireExceptionCaught(t);
      return;
    }
    pendingBytes.getAndAdd(event.size);
    pending.getAndIncrement();
    try {
      runtime().register(color(key.apply(message)), messages, event);
    } catch (Throwable t) {
      event.end();
      if (!(t instanceof RejectedExecutionException && ctx.executor().isShuttingDown())) {
        ctx.fireExceptionCaught(t);
      }
    }
  }

  private Mely runtime() {
    return Objects.requireNonNull(mely, "not added");
  }

  private Color color(@Nullable Object found) {
    if (found != null) {
      return runtime().color(found);
    }
    if (own == null) {
      own = runtime().newColor();
    }
    return own;
  }

  /** In the color of a key. */
  private void handle(Message event) {
    try {
      handler.handle(event.ctx, event.message);
    } catch (Throwable t) {
      event.ctx.fireExceptionCaught(t);
    } finally {
      event.end();
    }
  }

  /** In the color of a key, or by the thread that rejects its events. */
  private void handled(Message event) {
    pendingBytes.getAndAdd(-event.size);
    int left = pending.decrementAndGet();
    if (waiting.get() && (left == 0 || mayRead(0)) && waiting.compareAndSet(true, false)) {
      try {
        Outbound.execute(event.ctx.channel().eventLoop(), () -> goOn(event.ctx));
      } catch (RejectedExecutionException e) {
        dropLater(); // the event loop has ended
      } catch (Throwable noMemory) {
        waiting.set(true); // the next message tries again
        throw noMemory;
      }
    }
  }

  /**
   * Whether a read need not be held back.
   *
   * @param later messages that wait for others
   */
  private boolean mayRead(int later) {
    return pending.get() + later < maxMessages && pendingBytes.get() < maxBytes;
  }

  // ---- Event loop only: what waits for messages

  private void signal(ChannelHandlerContext ctx, Runnable onward) {
    if (later.isEmpty() && pending.get() == 0) {
      onward.run();
    } else {
      wait(ctx, new Later(null, onward));
    }
  }

  private void wait(ChannelHandlerContext ctx, Later step) {
    synchronized (later) {
      later.add(step);
    }
    goOn(ctx);
  }

  /** Goes on with what need not wait any more; says so if something has to. */
  private void goOn(ChannelHandlerContext ctx) {
    do {
      waiting.set(false);
      if (readHeld && mayRead(waitingMessages)) {
        readHeld = false;
        hold.read(ctx);
      }
      for (Later next = next(); next != null; next = next()) {
        next.step.run();
      }
      waiting.set(readHeld || !later.isEmpty());
    } while (waiting.get() && mayGoOn()); // it may have been too late for a color to see it
  }

  private boolean mayGoOn() {
    return (readHeld && mayRead(waitingMessages)) || (!later.isEmpty() && pending.get() == 0);
  }

  /** The next step, if all messages before it have been handled; a message need not wait itself. */
  private @Nullable Later next() {
    synchronized (later) {
      Later next = later.peek();
      return next == null || (next.message == null && pending.get() != 0) ? null : later.poll();
    }
  }

  private void dropLater() {
    synchronized (later) {
      for (Later step = later.poll(); step != null; step = later.poll()) {
        ReferenceCountUtil.safeRelease(step.message);
      }
    }
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    if (mayRead(waitingMessages)) {
      ctx.read();
    } else {
      readHeld = true;
      hold.hold(ctx);
      goOn(ctx);
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    signal(ctx, () -> ctx.fireUserEventTriggered(event));
  }

  /** Deprecated by Netty for outbound handlers only. */
  @Override
  @SuppressWarnings("deprecation")
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    signal(ctx, () -> ctx.fireExceptionCaught(cause));
  }

  /**
   * What waits.
   *
   * @param message null: a signal, which waits for the messages before it
   */
  private record Later(@Nullable Object message, Runnable step) {}

  /** Takes no room where pending events are bounded: the reads are held back. */
  private static final class Message extends Event {
    final KeyedHandler owner;
    final ChannelHandlerContext ctx;
    final Object message;
    final int size;

    Message(KeyedHandler owner, ChannelHandlerContext ctx, Object message, int size) {
      super(false);
      this.owner = owner;
      this.ctx = ctx;
      this.message = message;
      this.size = size;
    }

    void end() {
      ReferenceCountUtil.safeRelease(message);
      owner.handled(this);
    }
  }

  private static final class MessageHandler extends Handler<Message> {
    private final Class<?> type;

    MessageHandler(Class<?> type) {
      super(HandlerCosts.of(type).begin(null).background());
      this.type = type;
    }

    @Override
    public void handle(Message event) {
      event.owner.handle(event);
    }

    @Override
    protected void rejected(Message event) {
      event.end();
    }

    @Override
    protected String stage() {
      return OffloadStep.messagesOf(type);
    }

    @Override
    protected List<Class<?>> parts() {
      return List.of(type);
    }
  }
}
