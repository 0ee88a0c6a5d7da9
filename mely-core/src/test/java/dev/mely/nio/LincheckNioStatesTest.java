package dev.mely.nio;

import dev.mely.kit.Exploration;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The states of a source and of an operation under Lincheck, against the same with one caller at a
 * time.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckNioStatesTest {
  @Test
  void sourceHasOneState() {
    states(State.class).check();
  }

  @Test
  void outcomeHasOneState() {
    ends(End.class).check();
  }

  static Exploration states(Class<?> scenario) {
    return new Exploration(scenario)
        .against(StateOfOneThread.class)
        .drawn()
        .after("resume, takeOff")
        .of("land", "pause, resume")
        .of("land, takeOff", "pause, resume", "resume")
        .of("land, takeOff", "takeOff, land", "pause, isActive, resume");
  }

  static Exploration ends(Class<?> scenario) {
    return new Exploration(scenario)
        .against(EndOfOneThread.class)
        .drawn()
        .of("end, deliver", "cancelRunning, cancelEnded", "isDone");
  }

  /** A source's state: any thread calls anything. */
  public static class State {
    private final SourceState state = new SourceState();

    @Operation
    public boolean takeOff() {
      return state.takeOff();
    }

    @Operation
    public boolean land() {
      return state.land();
    }

    @Operation
    public boolean resume() {
      return state.resume();
    }

    @Operation
    public void pause() {
      state.pause();
    }

    @Operation
    public boolean cancel() {
      return state.cancel();
    }

    @Operation
    public boolean isActive() {
      return state.isActive();
    }
  }

  /** {@link State} with one caller. */
  public static class StateOfOneThread {
    private boolean active;
    private boolean inFlight;
    private boolean cancelled;

    public boolean takeOff() {
      boolean armed = isArmed();
      inFlight |= armed;
      return armed;
    }

    public boolean land() {
      boolean wasInFlight = inFlight;
      inFlight = false;
      return wasInFlight && isArmed();
    }

    public boolean resume() {
      boolean wasActive = active;
      active = true;
      return !wasActive && isArmed();
    }

    public void pause() {
      active = false;
    }

    public boolean cancel() {
      boolean first = !cancelled;
      cancelled = true;
      return first;
    }

    public boolean isActive() {
      return active && !cancelled;
    }

    private boolean isArmed() {
      return active && !inFlight && !cancelled;
    }
  }

  /** How an operation ends, with one who does the work. */
  public static class End {
    private final Outcome<Integer> outcome = new Outcome<>();

    @Operation(nonParallelGroup = "work")
    public boolean end() {
      return outcome.end(1, null);
    }

    @Operation(nonParallelGroup = "color")
    public int deliver() {
      return outcome.deliver() ? value(outcome.result()) : 0;
    }

    @Operation
    public boolean cancelRunning() {
      return outcome.cancelRunning();
    }

    @Operation
    public int cancelEnded() {
      return outcome.cancelEnded() ? value(outcome.result()) : 0;
    }

    @Operation
    public boolean isDone() {
      return outcome.isDone();
    }

    private static int value(@Nullable Integer result) {
      return result == null ? -1 : result;
    }
  }

  /** {@link End} with one caller. */
  public static class EndOfOneThread {
    private String state = "running";

    public boolean end() {
      return move("running", "ended");
    }

    public int deliver() {
      return move("ended", "delivered") ? 1 : 0;
    }

    public boolean cancelRunning() {
      return move("running", "cancelled");
    }

    public int cancelEnded() {
      return move("ended", "cancelled") ? 1 : 0;
    }

    public boolean isDone() {
      return !state.equals("running");
    }

    private boolean move(String from, String to) {
      boolean moves = state.equals(from);
      state = moves ? to : state;
      return moves;
    }
  }
}
