package dev.mely.netty;

import dev.mely.netty.LoopContract.Context;
import dev.mely.netty.LoopProgram.Step;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * One of the two channels of a {@link LoopRun}: its handler, which tells the contract what happens
 * to the channel, and keeps the rules of one channel: its life, its bytes, its writes, its reads.
 */
final class LoopEnd extends ChannelDuplexHandler {
  /** Fired by a program; from another thread if {@code counted}, which may come too late. */
  record UserEvent(String name, boolean counted, Runnable then) {}

  private static final int NEW = 0;
  private static final int REGISTERED = 1;
  private static final int ACTIVE = 2;
  private static final int INACTIVE = 3;
  private static final int UNREGISTERED = 4;

  /** Complete when the channel is active. */
  final CompletableFuture<LoopEnd> connected = new CompletableFuture<>();

  private final Channel channel;

  // ---- Set by bind

  private volatile @Nullable LoopRun run;

  @SuppressWarnings("NullAway.Init")
  private LoopContract contract;

  @SuppressWarnings("NullAway.Init")
  private LoopProgram program;

  private int number;

  // ---- Event loop only

  private int life = NEW;
  private boolean mayRead;
  private boolean throwing;
  private boolean thrown;
  private int reads;
  private byte nextSent;
  private byte nextRead;

  /** Writes that have come to the transport and are not complete. */
  private final Deque<ChannelPromise> pending = new ArrayDeque<>();

  /** How many of them have been flushed. */
  private int flushed;

  private int written;
  private @Nullable UserEvent delivered;
  private int closed;

  // ---- Any thread

  private final AtomicInteger sent = new AtomicInteger();
  private final AtomicInteger received = new AtomicInteger();
  private final List<String> late = new ArrayList<>();
  private volatile boolean outputEnds;
  private volatile boolean readable = true;
  private volatile boolean over;

  LoopEnd(Channel channel) {
    this.channel = channel;
  }

  Channel channel() {
    return channel;
  }

  void bind(LoopRun newRun, int end, LoopContract newContract, LoopProgram newProgram) {
    contract = newContract;
    program = newProgram;
    number = end;
    run = newRun;
  }

  private LoopRun run() {
    LoopRun bound = run;
    if (bound == null) {
      throw new IllegalStateException("not bound yet");
    }
    return bound;
  }

  // ---- What a program does

  /** Event loop: the first bytes, each as a write of its own. */
  void start() {
    LoopRun bound = run();
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, program.halfClosure());
    bound.promised();
    channel
        .closeFuture()
        .addListener(
            future -> {
              inside(
                  "closeFuture",
                  () -> {
                    if (++closed > 1) {
                      contract.fault("closed twice");
                    }
                  });
              bound.completed();
            });
    for (int i = 0; i < program.kicks()[number]; i++) {
      write(1, "kick" + i, () -> {});
    }
    channel.flush();
  }

  void write(int length, String name, Runnable then) {
    ByteBuf bytes = channel.alloc().buffer(Math.max(1, length)).writeZero(length);
    channel.write(bytes, promise(name, then));
  }

  /** A promise whose listener may come once, inside the loop. */
  private ChannelPromise promise(String name, Runnable then) {
    LoopRun bound = run();
    bound.promised();
    ChannelPromise promise = channel.newPromise();
    AtomicInteger calls = new AtomicInteger();
    promise.addListener(
        future -> {
          inside(
              name + (future.isSuccess() ? "-done" : "-failed"),
              () -> {
                if (calls.incrementAndGet() > 1) {
                  contract.fault("two calls of the listener of " + name);
                }
                if (name.startsWith("write") || name.startsWith("kick")) {
                  written(name, promise);
                }
                then.run();
              });
          bound.completed();
        });
    return promise;
  }

  /** Event loop: a write is complete. Those that succeed do so in order, when they were flushed. */
  private void written(String name, ChannelPromise promise) {
    boolean first = pending.peek() == promise;
    boolean known = pending.remove(promise);
    if (promise.isSuccess()) {
      if (!known) {
        contract.fault(name + " is done before it was written");
      } else if (!first) {
        contract.fault(name + " is done before an earlier write");
      } else if (flushed == 0) {
        contract.fault(name + " is done before it was flushed");
      }
    }
    if (known && flushed > 0) {
      flushed--;
    }
  }

  void close(String name, Runnable then) {
    outputEnds = true;
    channel.close(promise(name, then));
  }

  void endsOutput() {
    outputEnds = true;
  }

  /** Event loop. */
  void setAutoRead(boolean on) {
    boolean before = channel.config().isAutoRead();
    contract.note("autoRead=" + on);
    channel.config().setAutoRead(on);
    if (before && !on) {
      forbidReading();
    }
  }

  private void forbidReading() {
    mayRead = false;
    readable = channel.config().isAutoRead();
  }

  void fire(UserEvent event, boolean inside) {
    if (!inside) {
      synchronized (late) {
        late.add(event.name());
      }
      channel.pipeline().fireUserEventTriggered(event);
      return;
    }
    UserEvent outer = delivered;
    delivered = null;
    channel.pipeline().fireUserEventTriggered(event);
    if (delivered != event && life < UNREGISTERED) {
      contract.fault(event.name() + " has not come");
    }
    delivered = outer;
  }

  void throwInCallback(boolean inside) {
    if (inside) {
      throwing = true; // when the callback that is running ends, or the next one
    }
  }

  // ---- What happens

  private interface Callback {
    void run() throws Exception;
  }

  /** A listener: it may run anywhere. */
  private void inside(String name, Runnable body) {
    contract.enter(Context.OTHER, number, name);
    try {
      body.run();
    } finally {
      contract.exit();
    }
  }

  private void callback(Context context, String name, Callback body) throws Exception {
    LoopRun bound = run;
    if (bound == null) {
      body.run(); // before the program begins
      return;
    }
    contract.enter(context, number, name);
    try {
      if (thrown && !name.equals("exceptionCaught")) {
        contract.fault(name + " before exceptionCaught");
      }
      if (life == UNREGISTERED) {
        contract.fault(name + " after channelUnregistered");
      }
      bound.checkElsewhere(number);
      body.run();
    } finally {
      contract.exit();
    }
  }

  private void mustThrow() {
    if (throwing) {
      throwing = false;
      thrown = true;
      throw new LoopRun.Planted();
    }
  }

  private void move(int from, int to, String name) {
    if (life != from && run != null) {
      contract.fault(name + " in state " + life);
    }
    life = to;
  }

  @Override
  public void channelRegistered(ChannelHandlerContext ctx) throws Exception {
    callback(Context.OTHER, "registered", () -> move(NEW, REGISTERED, "channelRegistered"));
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    callback(Context.OTHER, "active", () -> move(REGISTERED, ACTIVE, "channelActive"));
    ctx.fireChannelActive(); // to the end of the pipeline, which reads
    connected.complete(this);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    outputEnds = true;
    callback(Context.OTHER, "inactive", () -> move(ACTIVE, INACTIVE, "channelInactive"));
  }

  @Override
  public void channelUnregistered(ChannelHandlerContext ctx) throws Exception {
    callback(Context.OTHER, "unregistered", () -> move(INACTIVE, UNREGISTERED, "unregistered"));
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    over = true;
  }

  @Override
  public void read(ChannelHandlerContext ctx) {
    mayRead = true;
    readable = true;
    ctx.read();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    ByteBuf bytes = (ByteBuf) message;
    callback(
        Context.READ,
        "read" + number,
        () -> {
          try {
            contract.readBegins(number, run().isOutputEnding(number));
            if (life != ACTIVE || closed > 0) {
              contract.fault("read in state " + life + ", closed " + closed);
            }
            // epoll reads what is left when the other end has gone, even without interest in reads.
            if (!mayRead && !run().isOutputEnding(number)) {
              contract.fault("read that nobody asked for");
            }
            forbidReading();
            while (bytes.isReadable()) {
              if (bytes.readByte() != nextRead++) {
                contract.fault("bytes out of order");
              }
              received.incrementAndGet();
            }
            List<List<Step>> all = program.reads().get(number);
            if (reads < all.size()) {
              for (Step step : all.get(reads++)) {
                run().perform(step, contract);
              }
            }
          } finally {
            bytes.release();
          }
          mustThrow();
        });
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    callback(Context.READ, "complete" + number, () -> {});
    ctx.fireChannelReadComplete(); // to the end of the pipeline, which reads again
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (!(event instanceof UserEvent mine)) {
      return; // about half closures
    }
    callback(
        Context.TASK, // from outside it is one
        mine.name(),
        () -> {
          delivered = mine;
          if (mine.counted()) {
            synchronized (late) {
              late.remove(mine.name());
            }
            contract.taskRuns(mine.name());
          }
          mine.then().run();
          delivered = mine;
          mustThrow();
        });
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) throws Exception {
    callback(
        Context.OTHER,
        "exceptionCaught",
        () -> {
          if (cause instanceof LoopRun.Planted) {
            if (!thrown) {
              contract.fault("exceptionCaught twice");
            }
            thrown = false;
          } else if (!(cause instanceof IOException) && !(cause instanceof UncheckedIOException)) {
            contract.fault(cause.toString());
          }
        });
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    ByteBuf bytes = (ByteBuf) message;
    for (int i = bytes.readerIndex(); i < bytes.writerIndex(); i++) {
      bytes.setByte(i, nextSent++);
      written++;
    }
    pending.add(promise);
    ctx.write(bytes, promise);
  }

  @Override
  public void flush(ChannelHandlerContext ctx) {
    flushed = pending.size();
    sent.set(written);
    ctx.flush();
  }

  // ---- The end

  boolean isOutputEnding() {
    return outputEnds || !channel.isOpen();
  }

  /** Whether bytes are on their way from the other end that this one wants to read. */
  boolean expects(LoopEnd other) {
    return readable
        && !isOutputEnding()
        && !other.isOutputEnding()
        && received.get() < other.sent.get();
  }

  boolean isOver() {
    return over;
  }

  /** User events that came too late: the handler had gone. */
  void forgetEvents(LoopContract all) {
    synchronized (late) {
      late.forEach(all::forget);
    }
  }
}
