package dev.mely.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What a graph refuses. */
class StageGraphTest {
  private static final Stage READ = new Stage("Read", 1, 1, 1, List.of());

  private static void refused(String message, Executable maker) {
    assertEquals(message, assertThrows(IllegalArgumentException.class, maker).getMessage());
  }

  @Test
  void numbersOutOfRange() {
    refused("runs must be 0 or more, but is -1", () -> new Stage("a", -1, 0, 1, List.of()));
    refused("costNanos must be 0 or more, but is -2", () -> new Stage("a", 0, -2, 1, List.of()));
    refused("penalty must be 1 or more, but is 0", () -> new Stage("a", 0, 0, 0, List.of()));
    refused("count must be 0 or more, but is -3", () -> new Edge("a", "b", -3));
    refused("times must be 0 or more, but is -4", () -> new Site("a", -4, 0));
    refused("order must be 0 or more, but is -5", () -> new Site("a", 0, -5));
    refused(
        "bytes must be 0 or more, but is -6",
        () -> new Allocation("a", -6, 0, true, List.of(), List.of()));
    refused(
        "count must be 0 or more, but is -7",
        () -> new Allocation("a", 0, -7, true, List.of(), List.of()));
  }

  @Test
  void namesThatAreMissingOrThereTwice() {
    refused("a stage needs a name", () -> new Stage("", 0, 0, 1, List.of()));
    refused(
        "'Read' is there twice", () -> new StageGraph(List.of(READ, READ), List.of(), List.of()));
    refused("there is no stage 'Look'", () -> withEdge(new Edge("Read", "Look", 1)));
    refused("there is no stage 'Look'", () -> withEdge(new Edge("Look", "Read", 1)));
    refused("there is no stage ''", () -> withEdge(new Edge("Read", StageGraph.OUTSIDE, 1)));
    assertEquals(1, withEdge(new Edge(StageGraph.OUTSIDE, "Read", 1)).edges().size());
    Allocation page = new Allocation("page", 1, 1, true, List.of(), List.of());
    refused("'page' is there twice", () -> withMemory(page, page));
    List<Site> nowhere = List.of(new Site("Look", 1, 0));
    refused(
        "there is no stage 'Look'",
        () -> withMemory(new Allocation("page", 1, 1, true, nowhere, List.of())));
    refused(
        "there is no stage 'Look'",
        () -> withMemory(new Allocation("page", 1, 1, true, List.of(), nowhere)));
  }

  private static StageGraph withEdge(Edge edge) {
    return new StageGraph(List.of(READ), List.of(edge), List.of());
  }

  private static StageGraph withMemory(Allocation... memory) {
    return new StageGraph(List.of(READ), List.of(), List.of(memory));
  }
}
