package dev.mely;

import dev.mely.kit.Exploration;
import java.util.concurrent.RejectedExecutionException;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Producers that wait for room, and workers that make it, under Lincheck: every producer gets in as
 * soon as there is room. A producer that sleeps although there is room waits forever, which
 * Lincheck reports.
 */
@Tag("interleavings")
@Timeout(600)
class LincheckOverloadTest {

  @Test
  void producerThatWaitsGetsTheRoomThatIsMade() {
    rooms(Room.class).check();
  }

  @Test
  void whoeverFindsRoomIsWoken() {
    colors(RoomPerColor.class).check();
  }

  @Test
  void producerThatWaitsIsRefusedAtTheEnd() {
    end(Room.class).check();
  }

  /** Interrupted just as it has been woken, it must not take the wake-up with it. */
  @Test
  void interruptedProducerLeavesTheRoomToAnother() {
    interrupts(Room.class).check();
  }

  /** Woken for room in one of its colors, it finds the other one full. */
  @Test
  void producerThatCannotTakeTheRoomLeavesItToAnother() {
    both(RoomPerColor.class).check();
  }

  /**
   * What is taken for a moment, until the other bound turns out to be full, is missed by others.
   */
  @Test
  void roomTakenForAMomentIsOfferedAgain() {
    moments(RoomUnderBoth.class).check();
  }

  /** One waits for its color, one for the runtime. */
  @Test
  void eachLineHasItsTurn() {
    lines(RoomUnderBoth.class).check();
  }

  static Exploration lines(Class<?> scenario) {
    return new Exploration(scenario).after("enter 0").of("visit 0", "visit 1", "leave 0");
  }

  static Exploration interrupts(Class<?> scenario) {
    return new Exploration(scenario)
        .after("enter 0")
        .of("visit 0", "visit 1", "leave 0, interrupt");
  }

  static Exploration both(Class<?> scenario) {
    return new Exploration(scenario)
        .after("enter 0, enter 1")
        .of("enterBoth", "enter 0, leave 0, leave 1", "leave 0");
  }

  static Exploration moments(Class<?> scenario) {
    return new Exploration(scenario).after("enter 1").of("attempt 0", "enter 0", "leave 1");
  }

  static Exploration rooms(Class<?> scenario) {
    return new Exploration(scenario)
        .of("enter 0, leave 0", "enter 1, leave 1")
        .of("enter 0, leave 0", "enter 0, leave 0", "enter 1, leave 1");
  }

  /** Two that wait for room in different colors. */
  static Exploration colors(Class<?> scenario) {
    return new Exploration(scenario)
        .after("enter 0, enter 1")
        .of("enter 0", "enter 1", "leave 1, leave 0");
  }

  static Exploration end(Class<?> scenario) {
    return new Exploration(scenario).after("enter 0").of("enter 0", "enter 1", "close");
  }

  /** Room for one event in all. */
  public static class Room extends Rooms {
    public Room() {
      super(1, 0);
    }
  }

  /** Room for one event in each color. */
  public static class RoomPerColor extends Rooms {
    public RoomPerColor() {
      super(0, 1);
    }
  }

  /** Room for one event in each color, and for one in all. */
  public static class RoomUnderBoth extends Rooms {
    public RoomUnderBoth() {
      super(1, 1);
    }
  }

  /** A runtime without workers: a call of {@link #leave} makes room. */
  public abstract static class Rooms {
    private final MonitorHost host = new MonitorHost(1, 0);
    private final Scheduler scheduler;
    private final Overload overload;
    private final Color[] colors = new Color[2];
    private final Event[] events = {new Plain(), new Plain()};

    Rooms(int inAll, int perColor) {
      SettingsBuilder settings = new SettingsBuilder();
      settings.maxPending = inAll;
      settings.maxPendingPerColor = perColor;
      settings.overflow = MelyBuilder.Overflow.BLOCK;
      scheduler = new Scheduler(host, settings.build(), host::newPoller);
      overload = scheduler.overload;
      for (int i = 0; i < colors.length; i++) {
        colors[i] = scheduler.newColor(0, false);
      }
    }

    /** Takes room for an event of a color; waits as long as there is none. */
    @Operation
    public void enter(int color) {
      admit(color);
    }

    /** Takes room, waiting for it if need be, and gives it back. */
    @Operation
    public void visit(int color) {
      if (admit(color)) {
        leave(color);
      }
    }

    /** The same as a handler: it does not wait. */
    @Operation
    public void attempt(int color) {
      host.enter(0);
      Event event = new Plain();
      event.attach(Ignoring.HANDLER);
      try {
        overload.admit(colors[color], event);
      } catch (RejectedExecutionException full) {
        return;
      }
      leave(color);
    }

    /** False: the end has come, or an interrupt. */
    private boolean admit(int color) {
      Event event = new Plain();
      event.attach(Ignoring.HANDLER);
      try {
        overload.admit(colors[color], event);
        return true;
      } catch (RejectedExecutionException e) {
        if (scheduler.phase() == Scheduler.OPEN && !Thread.interrupted()) {
          throw e;
        }
        return false;
      }
    }

    /** The same, for one event over both colors. */
    @Operation
    public void enterBoth() {
      overload.admit(colors);
    }

    /** Interrupts the producer that has waited first, or that will. */
    @Operation
    public void interrupt() {
      host.interruptFirst();
    }

    /** Gives room back, as a worker that has taken an event does. */
    @Operation
    public void leave(int color) {
      overload.left(colors[color], events[color]);
    }

    @Operation
    public void close() {
      scheduler.setPhase(Scheduler.CLOSED);
    }

    /** All who waited have come in by now, or nobody would be here. */
    @Validate
    public void check() {
      for (Color color : colors) {
        if (color instanceof BoundedColor bounded && bounded.load() < 0) {
          throw new AssertionError("room made twice: " + bounded.load());
        }
      }
    }
  }

  private static final class Plain extends Event {}

  /** Runs nothing. */
  private static final class Ignoring extends Handler<Object> {
    static final Handler<Object> HANDLER = new Ignoring();

    Ignoring() {
      super(Work.MEASURED.penalty(1));
    }

    @Override
    public void handle(Object event) {
      // never called
    }
  }
}
