package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;

/**
 * A source: posts its event to its color when something is found, and calls the user's handler
 * there. When it may do so is decided by its {@link SourceState}.
 *
 * <p>If something goes wrong, an event that was to be posted ends in one of four ways, each of
 * which lands it: its handler runs; it waits on a timer and is looked for again; without memory for
 * a timer it is looked for at once; or the runtime ends. So no source stays in flight for good.
 */
abstract class EventSource implements Source {
  /** How long a source waits that finds no room for its event. */
  private static final Duration FULL = Duration.ofMillis(1);

  private static final Handler<EventSource> RELEASE = new Release();

  private final Mely mely;
  private final Color color;
  private final IoHandler handler;
  private final SourceState state = new SourceState();

  /**
   * What is posted. Belongs to the thread that holds what is in flight: written before landing,
   * read after take-off.
   */
  private SourceEvent event = new SourceEvent(this);

  /** The handler that runs wants the source to stay in flight. Color only. */
  private boolean held;

  EventSource(Mely mely, Color color, Handler<?> user) {
    this.mely = mely;
    this.color = color;
    this.handler = new IoHandler(user);
  }

  // ---- What sources differ in

  /** Calls the user's handler. In the color. */
  abstract void serve() throws Exception;

  /** Looks whether there is something, or asks to be told, and fires then. Any thread. */
  abstract void arm();

  /** As {@link #arm}, where to fire at once would fail at once. */
  void armAfterFault() {
    arm();
  }

  /** The source has been cancelled. Any thread, once. */
  abstract void disconnect();

  /** Whether there is any use in calling the handler. */
  boolean isOpen() {
    return true;
  }

  /** An event has come to be handled, and the handler was not called: the channel is closed. */
  void closed() {}

  /** Just before the event is posted. */
  void aboutToPost() {}

  /** The event has been handled, and the source armed if the user still wants it. */
  void afterHandled() {}

  // ---- The thread that finds something

  /**
   * Posts the event, if the source is armed. What it throws is a fault of the host (no memory, no
   * stack), and the source will look again.
   */
  final void fire() {
    if (isEnding() || !state.takeOff()) {
      return;
    }
    try {
      aboutToPost();
      mely.register(color, handler, event);
    } catch (RejectedExecutionException e) {
      // As many events are pending as may be: what has been found stays where it is, and is found
      // again later. Or the runtime is shutting down, and the source will not be heard of again.
      landLater(FULL);
    } catch (Throwable t) {
      giveUp();
      throw t;
    }
  }

  /**
   * It is unknown whether the event has got into its color. If so it must do nothing there, or at
   * worst, if it runs at this very moment, costs a call of the handler too many.
   */
  private void giveUp() {
    try {
      event = new SourceEvent(this);
    } finally {
      landLater(FULL);
    }
  }

  // ---- Color

  final void run(SourceEvent posted) throws Exception {
    if (posted != event) {
      return; // given up: another one has taken its place
    }
    held = false;
    try {
      if (isActive()) {
        serve();
      } else if (!isOpen()) {
        closed();
      }
    } finally {
      if (!held) {
        land();
      }
    }
  }

  /** Whether the user still wants this. */
  final boolean isActive() {
    return state.isActive() && isOpen();
  }

  /** Whether the runtime is shutting down. */
  final boolean isEnding() {
    return mely.isShutdown();
  }

  /** Keeps the source in flight for a while, as if its handler took that long. */
  final void hold(Duration time) {
    held = true; // the timer lands it: it runs, is cancelled or is rejected
    landLater(time);
  }

  /** A timer finds room where other events do not. */
  private void landLater(Duration time) {
    try {
      mely.schedule(color, RELEASE, this, time);
    } catch (RejectedExecutionException e) {
      // The runtime is shutting down: nothing more will fire.
    } catch (Throwable t) {
      if (state.land()) {
        armAfterFault();
      }
      throw t;
    }
  }

  private void land() {
    if (state.land()) {
      arm();
    }
    afterHandled();
  }

  final void rejected(SourceEvent posted) {
    if (posted == event) {
      notPosted();
    }
  }

  /** No memory to queue the color: what has been found stays where it is. */
  final void notPosted() {
    if (!isEnding()) { // else shutdown closes the channels
      landLater(FULL);
    }
  }

  // ---- Any thread

  final Mely mely() {
    return mely;
  }

  final Color color() {
    return color;
  }

  @Override
  public final Source resume() {
    if (state.resume()) {
      arm(); // else the event in flight does so when it has been handled
    }
    return this;
  }

  @Override
  public final void pause() {
    state.pause();
  }

  @Override
  public final boolean cancel() {
    if (!state.cancel()) {
      return false;
    }
    disconnect();
    return true;
  }

  @Override
  public final boolean isCancelled() {
    return state.isCancelled() || !isOpen();
  }

  /** A source that was held is let go: nothing else to do. */
  private static final class Release extends Handler<EventSource> {
    @Override
    public void handle(EventSource source) {
      source.land();
    }

    @Override
    protected void rejected(EventSource source) {
      source.notPosted();
    }
  }
}
