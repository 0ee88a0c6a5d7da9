package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.mely.report.ColorState;
import dev.mely.report.CoreState;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TalliesTest {
  private static final double PRECISION = 1e-9;

  private final Tallies tallies = new Tallies();

  /** A color with a handler of a stage. */
  private record Seen(Object color, Object handler, String stage, List<Class<?>> parts, int pending)
      implements ColorState {
    @Override
    public long pendingNanos() {
      return 0;
    }

    @Override
    public long costNanos() {
      return 2_500;
    }

    @Override
    public int penalty() {
      return 3;
    }
  }

  private record Core(@Nullable ColorState running, List<ColorState> waiting) implements CoreState {
    @Override
    public boolean isParked() {
      return running == null;
    }

    @Override
    public int colorsWaiting() {
      return waiting.size();
    }

    @Override
    public long progress() {
      return 0;
    }

    @Override
    public List<StackTraceElement> stack() {
      return List.of();
    }
  }

  private static Seen seen(String color, String handler, String stage) {
    return new Seen(color, handler, stage, List.of(), 4);
  }

  private void look(@Nullable ColorState running, ColorState... waiting) {
    tallies.look();
    tallies.add(new Core(running, List.of(waiting)));
  }

  @Test
  void theHeaviestColorsComeFirst() {
    Seen a = seen("a", "handler of a", "stage");
    Seen b = seen("b", "handler of b", "stage");
    look(b, a);
    look(b);
    look(a);
    look(null);
    List<Heavy> colors = tallies.colors();
    assertEquals(
        List.of("handler of b", "handler of a"), colors.stream().map(Heavy::name).toList());
    assertEquals(new Heavy("handler of b", 0.5, 0.0, 4.0, 2.5, 3.0), colors.get(0));
    assertEquals(0.25, colors.get(1).share(), PRECISION);
    assertEquals(0.25, colors.get(1).queued(), PRECISION);
  }

  @Test
  void handlersOfOneStageAreOneRow() {
    look(seen("a", "one", "price"), seen("b", "two", "price"), seen("c", "three", "tax"));
    look(seen("b", "two", "price"));
    assertEquals(
        List.of(
            new Heavy("price", 1.0, 0.5, null, 2.5, 3.0), new Heavy("tax", 0, 0.5, null, 2.5, 3.0)),
        tallies.handlers());
  }

  /** All channels of a class are one stage, and what runs are the handlers of their pipelines. */
  @Test
  void channelsAreToldApartByTheirPipelines() {
    List<Class<?>> parts = List.of(Tallies.class, Seen.class);
    look(new Seen("a", "I/O of [id: 1]", "I/O of NioSocketChannel", parts, 1));
    look(new Seen("b", "I/O of [id: 2]", "I/O of NioSocketChannel", parts, 1));
    look(new Seen("c", "I/O of [id: 3]", "I/O of NioSocketChannel", List.of(), 1));
    assertEquals(
        List.of("I/O of NioSocketChannel: Tallies, TalliesTest.Seen", "I/O of NioSocketChannel: "),
        tallies.handlers().stream().map(Heavy::name).toList());
  }

  /** The channel's name is in that of its I/O; its tasks are named by their loop. */
  @Test
  void aColorIsNamedByItsChannel() {
    look(seen("a", "tasks of loop", "tasks"));
    look(seen("a", "I/O of [id: 1]", "I/O of NioSocketChannel"));
    look(seen("a", "tasks of loop", "tasks"));
    assertEquals(List.of("I/O of [id: 1]"), tallies.colors().stream().map(Heavy::name).toList());
  }

  @Test
  void noMoreThanTenAreTold() {
    IntStream.range(0, 40).forEach(i -> look(seen("color" + i, "handler" + i, "stage" + i)));
    assertEquals(GroupFigures.HEAVIEST, tallies.colors().size());
    assertEquals(GroupFigures.HEAVIEST, tallies.handlers().size());
  }

  /** Whatever a user's handler does when it is asked for its name. */
  @Test
  void aHandlerThatThrowsIsShown() {
    look(new Broken("?"));
    assertEquals(
        List.of(Broken.class.getName()), tallies.colors().stream().map(Heavy::name).toList());
    assertEquals(List.of("?"), tallies.handlers().stream().map(Heavy::name).toList());
  }

  @Test
  void aHandlerThatDoesNotTellItsPartsIsShown() {
    look(new Broken("I/O of NioSocketChannel"));
    assertEquals(
        List.of("I/O of NioSocketChannel: "),
        tallies.handlers().stream().map(Heavy::name).toList());
  }

  private static final class Broken implements ColorState {
    private final String stage;

    /**
     * @param stage "?": throws
     */
    Broken(String stage) {
      this.stage = stage;
    }

    @Override
    public Object color() {
      return this;
    }

    @Override
    public Object handler() {
      return this;
    }

    @Override
    public String stage() {
      if (stage.equals("?")) {
        throw new IllegalStateException("planned");
      }
      return stage;
    }

    @Override
    public String toString() {
      throw new IllegalStateException("planned");
    }

    @Override
    public List<Class<?>> parts() {
      throw new IllegalStateException("planned");
    }

    @Override
    public int pending() {
      return 1;
    }

    @Override
    public long pendingNanos() {
      return 1;
    }

    @Override
    public long costNanos() {
      return 0;
    }

    @Override
    public int penalty() {
      return 1;
    }
  }
}
