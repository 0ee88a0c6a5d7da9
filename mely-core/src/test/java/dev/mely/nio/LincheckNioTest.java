package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.MonitorRuntime;
import dev.mely.kit.Exploration;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sources and operations on whole small runtimes under Lincheck, with a selector that waits in a
 * monitor. Each ends when all that came has been handled; an event or a wake-up that is lost leaves
 * the worker waiting for ever, which Lincheck reports with the interleaving that led there.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckNioTest {
  /** Whole runtimes have many places to switch threads at that are others' to look at. */
  private static final int SHARE = 4;

  @Test
  void selectorThatSleepsIsWoken() {
    wakeUps(Reading.class).oneOf(SHARE).check();
  }

  @Test
  void sourceLosesNothing() {
    sources(Reading.class).oneOf(SHARE).check();
    reports(Reading.class).oneOf(SHARE).check();
  }

  @Test
  void sourceThatFindsNoRoomLooksAgain() {
    full(Full.class).oneOf(SHARE).check();
  }

  @Test
  void signalIsHandledAfterItHasCome() {
    signals(Raising.class).oneOf(SHARE).check();
    pausedSignals(Raising.class).oneOf(SHARE).check();
  }

  @Test
  void operationHasOneEnd() {
    operations(Ending.class).oneOf(SHARE).check();
  }

  @Test
  void connectionHasOneEnd() {
    connections(Connecting.class).oneOf(SHARE).check();
  }

  static Exploration wakeUps(Class<?> scenario) {
    return new Exploration(scenario).of("work", "post, post").of("work", "post", "resume, post");
  }

  static Exploration sources(Class<?> scenario) {
    return new Exploration(scenario)
        .after("resume, arrive")
        .of("work", "pause, resume, arrive")
        .of("work", "arrive", "pause, resume");
  }

  /**
   * The core that polls for a stuck core has taken the event, and another thread resumes the
   * source.
   */
  static Exploration reports(Class<?> scenario) {
    return new Exploration(scenario)
        .after("resume, arrive, arrive, pause")
        .of("poll", "resume")
        .then("settle");
  }

  static Exploration full(Class<?> scenario) {
    return new Exploration(scenario).of("work", "resume, arrive", "arrive, tryPost");
  }

  static Exploration signals(Class<?> scenario) {
    return new Exploration(scenario)
        .after("resume, raise")
        .of("work", "raiseLast")
        .of("work", "pause, resume, raiseLast");
  }

  static Exploration pausedSignals(Class<?> scenario) {
    return new Exploration(scenario)
        .of("raiseLast", "resume")
        .of("raise, raiseLast", "pause, resume")
        .then("settle");
  }

  static Exploration operations(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work", "complete", "cancel")
        .of("work", "complete", "complete", "cancel");
  }

  static Exploration connections(Class<?> scenario) {
    return new Exploration(scenario)
        .of("work", "start, accepted", "cancel")
        .of("work", "start, accepted", "closeChannel");
  }

  /** A runtime that ends when two events have been dealt with. */
  public abstract static class Running {
    private static final int EVENTS = 2;

    final MonitorSelector selector = new MonitorSelector();
    final SelectorPoller poller = new SelectorPoller(0, selector);
    final MonitorRuntime runtime;
    final Mely mely;
    final Color color;
    private final AtomicInteger handled = new AtomicInteger();

    Running(long tick, int maxPending) {
      runtime = new MonitorRuntime(tick, maxPending, poller);
      mely = runtime.mely();
      color = mely.color(0);
    }

    @Operation
    public void work() {
      runtime.work();
    }

    /** When nothing happens any more: what is there must be found without waiting. */
    @Operation
    public void settle() {
      selector.hurry();
      runtime.workAWhile();
    }

    /** A poll that does not wait, by the core that watches a stuck core. */
    @Operation
    public void poll() throws IOException {
      poller.poll(0);
    }

    /** One of the two, or the only one. */
    void handled(int events) {
      if (handled.addAndGet(events) == EVENTS) {
        runtime.end();
      }
    }

    @Validate
    public void check() {
      Throwable failure = runtime.failure();
      if (failure != null) {
        throw new AssertionError(failure);
      }
      if (handled.get() != EVENTS) {
        throw new AssertionError(handled + " handled");
      }
      checkMore();
    }

    /** Lincheck knows one such method a class. */
    void checkMore() {}
  }

  /** A connection from which two bytes are read. */
  public static class Reading extends Running {
    private final MonitorChannel channel;
    private final Source source;

    public Reading() throws IOException {
      this(0, 0);
    }

    Reading(long tick, int maxPending) throws IOException {
      super(tick, maxPending);
      channel = new MonitorChannel(selector);
      ChannelKey key = poller.register(channel);
      ChannelSource reading =
          new Readiness<>(mely, key, SelectionKey.OP_READ, color, Handler.of(this::read), channel);
      key.add(reading);
      source = reading;
    }

    private void read(MonitorChannel from) {
      if (!color.isCurrent()) {
        throw new AssertionError("not inside its color");
      }
      if (from.take()) {
        handled(1);
      }
    }

    @Operation
    public void arrive() {
      channel.arrive();
    }

    @Operation
    public void resume() {
      source.resume();
    }

    @Operation
    public void pause() {
      source.pause();
    }

    /** An event from elsewhere. */
    @Operation
    public void post() {
      mely.register(color, Handler.of(e -> handled(1)), "event");
    }
  }

  /** The same where only one event may be pending, and another takes the room now and then. */
  public static class Full extends Reading {
    public Full() throws IOException {
      super(1_000_000, 1);
    }

    @Operation
    public void tryPost() {
      try {
        mely.register(color, Handler.of(e -> {}), "takes the room");
      } catch (java.util.concurrent.RejectedExecutionException e) {
        // It is taken.
      }
    }
  }

  /** A signal: the handler is called, at least once, after it has come for the last time. */
  public static class Raising extends Running {
    private final SignalSource<String> source;
    private volatile boolean last;

    public Raising() {
      super(0, 0);
      source = new SignalSource<>(mely, "TEST", color, Handler.of(this::come), "event", s -> {});
    }

    private void come(String event) {
      if (last) {
        last = false;
        handled(2);
      }
    }

    @Operation
    public void raise() {
      source.raise();
    }

    @Operation
    public void raiseLast() {
      last = true;
      source.raise();
    }

    @Operation
    public void resume() {
      source.resume();
    }

    @Operation
    public void pause() {
      source.pause();
    }
  }

  /**
   * A call whose result is delivered or closed, once; the same for a result that comes too late.
   */
  public static class Ending extends Running {
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger delivered = new AtomicInteger();
    private final StartedOperation<Closeable> operation;

    public Ending() {
      super(0, 0);
      operation = new StartedOperation<>(mely, color, Handler.of(this::deliver));
    }

    private void deliver(Object ended) throws IOException {
      if (((StartedOperation<?>) ended).get() == null || !operation.isDone()) {
        throw new AssertionError("delivered without a result");
      }
      delivered.incrementAndGet();
      handled(2);
    }

    @Operation
    public void complete() {
      made.incrementAndGet();
      operation.complete(closed::incrementAndGet);
    }

    @Operation
    public void cancel() {
      if (operation.cancel()) {
        handled(2);
      }
    }

    @Override
    void checkMore() {
      if (delivered.get() + closed.get() != made.get() || delivered.get() > 1) {
        throw new AssertionError(
            made + " results: " + delivered + " delivered, " + closed + " closed");
      }
    }
  }

  /** A connection: its handler is called once, with a channel or a failure, or it is cancelled. */
  public static class Connecting extends Running {
    private final MonitorChannel channel;
    private final ChannelKey key;
    private final Connect connect;
    private volatile @Nullable SocketChannel given;
    private volatile boolean failed;
    private volatile boolean cancelled;

    public Connecting() throws IOException {
      super(1_000_000, 0);
      channel = new MonitorChannel(selector);
      key = poller.register(channel);
      connect = new Connect(mely, color, Handler.of(this::end), channel, key);
    }

    private void end(Object ended) {
      if (given != null || failed) {
        throw new AssertionError("called twice");
      }
      try {
        given = (SocketChannel) ((StartedOperation<?>) ended).get();
      } catch (IOException e) {
        failed = true;
      }
      handled(2);
    }

    @Operation
    public void start() {
      connect.start(new InetSocketAddress(1));
    }

    @Operation
    public void accepted() {
      channel.accepted();
    }

    @Operation
    public void cancel() {
      if (connect.cancel()) {
        cancelled = true;
        handled(2);
      }
    }

    /** As {@link Selectors#close}. */
    @Operation
    public void closeChannel() throws IOException {
      channel.close();
      key.closed();
    }

    @Override
    void checkMore() {
      int ends = (given != null ? 1 : 0) + (failed ? 1 : 0) + (cancelled ? 1 : 0);
      if (ends != 1) {
        throw new AssertionError("given " + given + ", failed " + failed + ", " + cancelled);
      }
      if ((cancelled || failed) && channel.isOpen()) {
        throw new AssertionError("the channel is open still");
      }
    }
  }
}
