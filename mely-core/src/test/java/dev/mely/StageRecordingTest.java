package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Allocates;
import dev.mely.annotation.Frees;
import dev.mely.annotation.Penalty;
import dev.mely.report.ShutdownReport;
import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.Stages;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is recorded of a program's stages. */
class StageRecordingTest {
  private static Mely recorded(int cores) {
    return Mely.builder().cores(cores).pinned(false).recordStages(true).build();
  }

  private static <E> Handler<E> named(String name, Handler.Action<E> action) {
    return Handler.of(action).named(name);
  }

  /** Count by edge; what comes from outside is {@code ->to}. */
  private static Map<String, Long> edges(StageGraph graph) {
    return graph.edges().stream()
        .collect(Collectors.toMap(e -> e.from() + "->" + e.to(), Edge::count));
  }

  private static StageGraph.Stage stage(StageGraph graph, String name) {
    return graph.stages().stream().filter(s -> s.name().equals(name)).findFirst().orElseThrow();
  }

  private static StageGraph.Allocation allocation(StageGraph graph, String name) {
    return graph.allocations().stream()
        .filter(a -> a.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void whoRegistersWhichAndHowOften(int cores) {
    Mely mely = recorded(cores);
    Handler<Color> write = named("Write", c -> {});
    Handler<Color> parse =
        named(
            "Parse",
            c -> {
              mely.register(c, write, c);
              mely.registerUrgent(mely.newColor(), write, c);
            });
    Handler<Color> read = named("Read", c -> mely.register(c, parse, c));
    for (int i = 0; i < 50; i++) {
      Color color = mely.newColor();
      mely.register(color, read, color);
    }
    mely.close();
    StageGraph graph = mely.inspect().stages();
    assertEquals(Map.of("->Read", 50L, "Read->Parse", 50L, "Parse->Write", 100L), edges(graph));
    assertEquals(50, stage(graph, "Read").runs());
    assertEquals(100, stage(graph, "Write").runs());
    assertTrue(stage(graph, "Parse").costNanos() > 0);
  }

  @Test
  void whatHandlersSayThatTheyAllocate() {
    Mely mely = recorded(1);
    Handler<Color> free =
        named(
            "Free",
            c -> {
              Stages.freed("header", 10);
              Stages.freed("buffer", 300);
            });
    Handler<Color> allocate =
        named(
            "Allocate",
            c -> {
              Stages.allocated("buffer", 300);
              Stages.allocated("header", 10);
              Stages.allocated("header", 20);
              mely.register(c, free, c);
            });
    Stages.allocated("nobody's", 1);
    for (int i = 0; i < 7; i++) {
      mely.register(mely.color(0), allocate, mely.color(0));
    }
    mely.close();
    StageGraph graph = mely.inspect().stages();
    assertEquals(2, graph.allocations().size());
    assertEquals(
        new StageGraph.Allocation(
            "buffer",
            300,
            1,
            false,
            List.of(new Site("Allocate", 7, 0)),
            List.of(new Site("Free", 7, 1))),
        allocation(graph, "buffer"));
    assertEquals(
        new StageGraph.Allocation(
            "header",
            20,
            2,
            false,
            List.of(new Site("Allocate", 14, 1)),
            List.of(new Site("Free", 7, 0))),
        allocation(graph, "header"));
  }

  @Test
  void howManyATaskHasWhereThatCanBeKnown() {
    Mely mely = recorded(1);
    Handler<Integer> last = named("Last", i -> Stages.freed("kept", 5));
    Handler<Integer> local =
        named(
            "Local",
            i -> {
              Stages.allocated("scratch", 8);
              Stages.freed("scratch", 8);
              Stages.allocated("scratch", 8);
              Stages.allocated("scratch", 16);
              Stages.freed("scratch", 8);
              Stages.freed("scratch", 16);
              Stages.allocated("told", 3, i);
              if (i == 2) {
                Stages.allocated("kept", 5);
                mely.register(mely.color(0), last, i);
              } else {
                Stages.allocated("kept", 5);
                Stages.freed("kept", 5);
              }
            });
    for (int i = 1; i <= 4; i++) {
      mely.register(mely.color(0), local, i);
    }
    mely.close();
    StageGraph graph = mely.inspect().stages();
    StageGraph.Allocation scratch = allocation(graph, "scratch");
    assertEquals(2, scratch.count(), "two at a time, of three");
    assertTrue(scratch.countKnown(), "each run has freed all of them");
    assertEquals(4, allocation(graph, "told").count());
    assertTrue(allocation(graph, "told").countKnown());
    assertEquals(1, allocation(graph, "kept").count());
    assertFalse(allocation(graph, "kept").countKnown(), "one run of four has left one behind");
  }

  @Test
  void whatTheLastRunHasLeftBehindCounts() {
    Mely mely = recorded(1);
    Handler<Color> keep = named("Keep", c -> Stages.allocated("kept", 5));
    mely.register(mely.color(0), keep, mely.color(0));
    mely.close();
    assertFalse(allocation(mely.inspect().stages(), "kept").countKnown());
  }

  @Penalty(7)
  @Allocates(value = "page", bytes = 4096, count = 3)
  @Allocates("line")
  private static class Fetch extends Handler<Color> {
    @Override
    public void handle(Color color) {
      Stages.allocated("page", 9);
    }
  }

  @Frees({"page", "line"})
  private static class Drop extends Handler<Color> {
    @Override
    public void handle(Color color) {}
  }

  @Test
  void whatTheirClassesDeclare() {
    Mely mely = recorded(1);
    mely.register(mely.color(0), new Fetch(), mely.color(0));
    mely.register(mely.color(0), new Fetch(), mely.color(0));
    mely.register(mely.color(0), new Drop(), mely.color(0));
    mely.close();
    StageGraph graph = mely.inspect().stages();
    StageGraph.Stage fetch = stage(graph, "StageRecordingTest.Fetch");
    assertEquals(7, fetch.penalty());
    assertEquals(2, fetch.runs(), "two handlers of one name");
    assertEquals(List.of("StageRecordingTest$Fetch"), fetch.parts());
    assertEquals(
        new StageGraph.Allocation(
            "page",
            4096,
            3,
            true,
            List.of(new Site(fetch.name(), 2, 0)),
            List.of(new Site("StageRecordingTest.Drop", 1, 0))),
        allocation(graph, "page"));
    assertEquals(0, allocation(graph, "line").bytes());
  }

  @Test
  void timersForksAndPermissions() {
    Mely mely = recorded(2);
    Color a = mely.newColor();
    Color b = mely.newColor();
    CountDownLatch ticked = new CountDownLatch(3);
    Handler<Color> tick = named("Tick", c -> ticked.countDown());
    Handler<Color> child = named("Child", c -> {});
    Handler<Color> both =
        named(
            "Both",
            c -> {
              mely.fork()
                  .child(Permissions.write(a), child, a)
                  .child(Permissions.write(b), child, b)
                  .then(named("Last", failures -> {}));
            });
    Handler<Color> start =
        named(
            "Start",
            c -> {
              mely.register(Permissions.write(a, b), both, c);
              mely.scheduleAtFixedRate(c, tick, c, Duration.ofMillis(1), Duration.ofMillis(1));
            });
    mely.register(a, start, a);
    await().until(() -> ticked.getCount() == 0);
    mely.close();
    StageGraph graph = mely.inspect().stages();
    assertEquals(
        Map.of(
            "->Start",
            1L,
            "Start->Both",
            1L,
            "Start->Tick",
            1L,
            "Both->Child",
            2L,
            "Both->Last",
            1L),
        edges(graph));
    assertTrue(stage(graph, "Tick").runs() >= 3);
    assertEquals(5, graph.stages().size(), graph::toString); // and no tickets
  }

  @Test
  void aHandlerOfAnotherRuntimeIsOutside() {
    Mely mely = recorded(1);
    Mely other = recorded(1);
    Handler<Color> there =
        named(
            "There",
            c -> {
              throw new IllegalStateException("on purpose");
            });
    Handler<Color> here = named("Here", c -> other.register(other.color(0), there, c));
    mely.register(mely.color(0), here, mely.color(0));
    mely.close();
    other.close();
    assertEquals(Map.of("->Here", 1L), edges(mely.inspect().stages()));
    assertEquals(Map.of("->There", 1L), edges(other.inspect().stages()));
    assertEquals(1, stage(other.inspect().stages(), "There").runs(), "though it has thrown");
  }

  @Test
  void functionsWithoutANameAreToldApart() {
    Handler<Color> first = Handler.of(c -> {});
    Handler<Color> second = Handler.of(c -> {});
    String name = first.stage();
    assertTrue(name.matches("StageRecordingTest #\\d+"), name);
    assertTrue(!name.equals(second.stage()), name);
    assertEquals(name, first.stage());
  }

  @Test
  void isNotThereUnlessAskedFor() {
    try (Mely mely = Mely.builder().cores(1).pinned(false).build()) {
      String said = assertThrows(IllegalStateException.class, mely.inspect()::stages).getMessage();
      assertTrue(said.contains("recordStages"), said);
    }
  }

  /**
   * What does not know its own stage is not recorded; it runs, and leaves its room, all the same.
   */
  @ParameterizedTest
  @ValueSource(classes = {IllegalStateException.class, AssertionError.class})
  void aNameThatCannotBeToldCostsNoEvent(Class<? extends Throwable> kind) throws Exception {
    Queue<Throwable> reported = new ConcurrentLinkedQueue<>();
    Mely mely =
        Mely.builder()
            .cores(2)
            .pinned(false)
            .recordStages(true)
            .maxPending(100)
            .errorHandler(
                new ErrorHandler() {
                  @Override
                  public void onError(Color color, Object event, Throwable error) {
                    reported.add(new Exception("a handler's own", error));
                  }

                  @Override
                  public void onFailure(Object source, Throwable error) {
                    reported.add(error);
                  }
                })
            .build();
    Queue<String> ran = new ConcurrentLinkedQueue<>();
    class Nameless extends Handler<String> {
      @Override
      public String stage() {
        if (kind == AssertionError.class) {
          throw new AssertionError("planned");
        }
        throw new IllegalStateException("planned");
      }

      @Override
      public void handle(String event) {
        ran.add(event);
      }
    }
    class Forks extends Handler<String> {
      @Override
      public void handle(String event) {
        mely.fork()
            .child(Permissions.none(), new Nameless(), "child")
            .then(
                new Handler<List<Throwable>>() {
                  @Override
                  public String stage() {
                    return new Nameless().stage();
                  }

                  @Override
                  public void handle(List<Throwable> failures) {
                    ran.add("continuation");
                  }
                });
      }
    }
    Color a = mely.newColor(0);
    Permissions both = Permissions.write(a).andWrite(mely.newColor(1));
    mely.register(a, new Nameless(), "plain");
    mely.register(both, new Nameless(), "both");
    mely.register(both, new Forks(), "forks");
    mely.schedule(a, new Nameless(), "timer", Duration.ZERO);
    await().atMost(Duration.ofSeconds(120)).until(() -> ran.size() == 5);
    ShutdownReport report = mely.shutdown(Duration.ofSeconds(60));
    assertTrue(report.drained(), report::toString);
    assertEquals(Set.of("plain", "both", "child", "continuation", "timer"), Set.copyOf(ran));
    assertTrue(reported.stream().allMatch(kind::isInstance), reported::toString);
    assertTrue(reported.size() >= 5, reported::toString);
  }
}
