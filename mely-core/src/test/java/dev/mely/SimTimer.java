package dev.mely;

/** A timer of a {@link Schedule}, one-shot or periodic. */
final class SimTimer extends Handler<Integer> {
  private final Schedule world;
  private final int color;
  private final TimerEvent timer;
  private int left;
  private boolean cancelled;

  SimTimer(Schedule world, int color, long delay, long period, int times) {
    super(Work.MEASURED.penalty(1));
    this.world = world;
    this.color = color;
    this.left = times;
    this.timer =
        new TimerEvent(world.colors[color], this, color, world.host.nanos() + delay, period);
  }

  /** Returns whether it has been set. */
  boolean start() {
    try {
      world.runtimeTimers.schedule(timer);
    } catch (OutOfMemoryError e) {
      cancelled = true; // it must never run
    }
    return !cancelled;
  }

  /** Nothing is to be waited for. */
  boolean isOver() {
    return left == 0 || timer.isDone();
  }

  void cancel() {
    if (timer.cancel()) {
      cancelled = true;
    }
  }

  @Override
  public void handle(Integer number) {
    world.log("    timer of color %d", color);
    if (cancelled) {
      world.fail("a timer of color " + color + " runs after it was cancelled");
    }
    if (left-- <= 0) {
      world.fail("a timer of color " + color + " runs once too often");
    }
    if (left == 0) {
      cancel(); // from inside, as a periodic timer is ended
    }
    if (world.random.nextInt(8) == 0) {
      throw SimHandler.EXCEPTION;
    }
  }
}
