package dev.mely.examples.stingy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** {@code stingy plan} and {@code stingy draw} as a user has them. */
class StingyCommandTest {
  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeEach
  void aGraph() throws IOException {
    StageGraph graph =
        new StageGraph(
            List.of(
                new Stage("Parse", 10, 500, 1, List.of()),
                new Stage("Write", 10, 1500, 1, List.of())),
            List.of(
                new Edge(StageGraph.OUTSIDE, "Parse", 10),
                new Edge("Parse", "Write", 10),
                new Edge("Write", "Write", 3)),
            List.of(
                new Allocation(
                    "request",
                    1000,
                    1,
                    false,
                    List.of(new Site("Parse", 10, 0)),
                    List.of(new Site("Write", 10, 0))),
                new Allocation(
                    "chunk",
                    50,
                    1,
                    false,
                    List.of(new Site("Write", 10, 0)),
                    List.of(new Site("Write", 10, 1)))));
    StageJson.write(folder.resolve("graph.json"), graph);
  }

  private int run(String... arguments) {
    CommandLine command = CommandLineAccess.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(arguments);
  }

  private String graph() {
    return folder.resolve("graph.json").toString();
  }

  @Test
  void plansAndSaysWhy() throws IOException {
    Path file = folder.resolve("plan.json");
    assertEquals(
        0,
        run("stingy", "plan", graph(), "--working-set", "10kB", "--out", file.toString()),
        err::toString);
    String said = out.toString();
    for (String expected :
        List.of(
            "left out: chunk: 'Write', which allocates it, is in a cycle",
            "1,000·n(request) <= 10,000",
            "minimise             500/min(n(request))",
            " + 1,500/min(n(request))",
            "solution, optimal:",
            "n(request) = 10: 10 of 1,000 bytes, 10,000 in all",
            "Write                10,000 of 10,000 bytes, binds",
            "Parse                1,000 of 10,000 bytes\n",
            "all objects together: 10,000 bytes")) {
      assertTrue(said.contains(expected), expected + " in " + said);
    }
    Plan plan = StageJson.plan(file);
    assertEquals(Set.of("request"), plan.allocatedBy("Parse"));
    assertEquals(10_000, plan.bytes());
  }

  @Test
  void aNumberOfTheCommandLineCountsAsDeclared() {
    assertEquals(
        0, run("stingy", "plan", graph(), "--working-set=10kB", "--count=chunk=4"), err::toString);
    assertTrue(out.toString().contains("1,000·n(request) + 200 (chunk) <= 10,000"), out::toString);
    assertTrue(out.toString().contains("n(request) = 9"), out::toString);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--working-set=900|1|too small for one task in stage 'Parse', which needs 1000 (request",
        "--working-set=0|2|--working-set must be more than 0, but is 0",
        "--working-set=much|2|'much' is not a size",
        "--count=page=3|2|the graph has no object [page]",
        "--count=chunk=0|2|--count must be 1 or more, but is chunk=0"
      })
  void saysWhatIsWrong(String option, int exit, String message) {
    String size = option.startsWith("--working-set") ? "--whole" : "--working-set=1MB";
    assertEquals(exit, run("stingy", "plan", graph(), size, option));
    assertTrue(err.toString().contains(message), err::toString);
  }

  @Test
  void filesThatAreNotThereOrNoGraphs() throws IOException {
    Path none = folder.resolve("none.json");
    assertEquals(1, run("stingy", "plan", none.toString(), "--working-set=1MB"));
    assertTrue(err.toString().contains("there is no file '" + none + "'"), err::toString);
    Path text = Files.writeString(folder.resolve("text.json"), "{\"stages\": 3}");
    assertEquals(1, run("stingy", "draw", text.toString()));
    assertTrue(
        err.toString().contains("'" + text + "' is no stage graph: Expected BEGIN_ARRAY but was"),
        err::toString);
    assertEquals(2, run("stingy"));
  }

  @Test
  void draws() {
    assertEquals(0, run("stingy", "draw", graph()), err::toString);
    assertTrue(out.toString().startsWith("flowchart TB"), out::toString);
    assertTrue(out.toString().contains("s1 -->|3| s1\n"), out::toString);
    out.getBuffer().setLength(0);
    assertEquals(0, run("stingy", "draw", "--dot", graph()), err::toString);
    assertTrue(out.toString().startsWith("digraph stages {"), out::toString);
    assertTrue(out.toString().contains("s1 -> s1 [label=\"3\"]\n"), out::toString);
  }
}
