package dev.mely.examples.stingy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import dev.mely.stage.Plan;
import dev.mely.stage.Plan.Instances;
import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of stage graphs and plans. */
class StageJsonTest {
  private static final String ODD = "a \"page\"\n\\ <\u00e9> \ud83d\ude00";

  private static final String REQUEST = "{'count': 1, 'bytes': 2, 'stages': [], 'freedBy': []}";

  @TempDir private Path folder;

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("a.json"), text);
  }

  private static StageGraph graph() {
    return new StageGraph(
        List.of(
            new Stage(ODD, 1L << 40, 7, 3, List.of("Parser", "Decoder")),
            new Stage("Write", 0, 0, 1, List.of())),
        List.of(new Edge(StageGraph.OUTSIDE, ODD, 5), new Edge(ODD, "Write", 6)),
        List.of(
            new Allocation(
                "page",
                9,
                2,
                true,
                List.of(new Site(ODD, 4, 1)),
                List.of(new Site("Write", 3, 0)))));
  }

  @Test
  void aPlanIsReadAsItWasWritten() throws IOException {
    Map<String, Instances> objects = new LinkedHashMap<>();
    objects.put("request", new Instances(64, 2048, Set.of("Parse"), Set.of("Write")));
    objects.put(ODD, new Instances(3, 5, Set.of("Parse", "Look")));
    Plan plan = new Plan(objects);
    Path path = folder.resolve("plan.json");
    StageJson.write(path, plan);
    assertEquals(plan, StageJson.plan(path));
    assertEquals(List.of("request", ODD), List.copyOf(StageJson.plan(path).allocatedBy("Parse")));
    assertEquals(new Plan(Map.of()), StageJson.plan(file("{\"objects\": {}}")));
  }

  @Test
  void aGraphIsReadAsItWasWritten() throws IOException {
    Path path = folder.resolve("graph.json");
    StageJson.write(path, graph());
    assertEquals(graph(), StageJson.graph(path));
  }

  /** As the guide says: a program needs nothing of this package for them. */
  @Test
  void gsonAloneReadsAndWritesThemToo() throws IOException {
    Plan plan = new Plan(Map.of("request", new Instances(64, 2048, Set.of(ODD), Set.of("Write"))));
    Path path = file(new Gson().toJson(plan));
    assertEquals(plan, StageJson.plan(path));
    StageJson.write(path, plan);
    assertEquals(plan, new Gson().fromJson(Files.readString(path), Plan.class));
    path = file(new Gson().toJson(graph()));
    assertEquals(graph(), StageJson.graph(path));
    StageJson.write(path, graph());
    assertEquals(graph(), new Gson().fromJson(Files.readString(path), StageGraph.class));
  }

  /** The form stays what it is: such files are kept. */
  @Test
  void aGraphOfAnEarlierRecording() throws IOException {
    Path path =
        file(
            """
            {
              "stages": [
                {"name": "Read", "runs": 3, "costNanos": 900, "penalty": 1, "parts": ["Client"]}
              ],
              "edges": [
                {"from": "", "to": "Read", "count": 3}
              ],
              "allocations": [
                {
                  "name": "request",
                  "bytes": 83,
                  "count": 1,
                  "countKnown": true,
                  "allocatedBy": [
                    {"stage": "Read", "times": 3, "order": 0}
                  ],
                  "freedBy": []
                }
              ]
            }
            """);
    assertEquals(
        new StageGraph(
            List.of(new Stage("Read", 3, 900, 1, List.of("Client"))),
            List.of(new Edge(StageGraph.OUTSIDE, "Read", 3)),
            List.of(
                new Allocation(
                    "request", 83, 1, true, List.of(new Site("Read", 3, 0)), List.of()))),
        StageJson.graph(path));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $",
        "{}|a value is missing at line 1 column 2 path $",
        "{'objects': 17}|Expected BEGIN_OBJECT but was NUMBER at line 1 column 15 path $.objects",
        "{'objects': {'a': null}}|a value is missing at line 1 column 2 path $",
        "{'objects': {'a': " + REQUEST + ", 'a': " + REQUEST + "}}|duplicate key: a",
        "{'objects': {'a': {'count': 1, 'bytes': 1}}}|a value is missing at line 1 column 17",
        "{'objects': {'a': {'count': 'many'}}}|For input string: \"many\" at line 1 column 17",
        "{'objects': {'a': {'count': 3000000000}}}|an int but was 3000000000 at line 1 column 39",
        "{'objects': {'a': {'count': 1.5}}}|Expected an int but was 1.5 at line 1 column 32",
        "{'objects': {'a': " + REQUEST + ", 'b': {}}}|count must be 1 or more, but is 0 at line 1",
      })
  void namesWhatIsWrongInAPlan(String json, String message) throws IOException {
    Path path = file(json.replace('\'', '"'));
    String said =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> StageJson.plan(path)).getMessage());
    assertTrue(said.startsWith("'" + path + "' is no plan: ") && said.contains(message), said);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'stages': [], 'edges': []}|a value is missing at line 1 column 2 path $",
        "{'stages': [{'runs': 1}]}|a value is missing at line 1 column 14 path $.stages[0]",
        "{'stages': [{'name': 'a', 'penalty': 0, 'parts': []}]}|"
            + "penalty must be 1 or more, but is 0 at line 1 column 14 path $.stages[0]",
        "{'stages': [], 'edges': [{'from': '', 'to': 'b', 'count': 1}], 'allocations': []}|"
            + "there is no stage 'b' at line 1 column 2 path $",
        "{'edges': [{'from': '', 'count': 1}]}|"
            + "a value is missing at line 1 column 13 path $.edges[0]",
        "{'allocations': [{'allocatedBy': [{'stage': 'a', 'times': -1}]}]}|times must be 0 or more,"
            + " but is -1 at line 1 column 36 path $.allocations[0].allocatedBy[0]"
      })
  void namesWhatIsWrongInAGraph(String json, String message) throws IOException {
    Path path = file(json.replace('\'', '"'));
    String said =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> StageJson.graph(path)).getMessage());
    assertEquals("'" + path + "' is no stage graph: " + message, said);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"objects\"",
        "{\"objects\": {}",
        "{\"objects\": [}",
        "{\"objects\": {}} x",
        "{\"objects\": 01}",
        "{objects: {}}",
        "{\"other\": 'a'}"
      })
  void saysWhereTheTextIsNoJson(String json) throws IOException {
    Path path = file(json);
    String said =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> StageJson.plan(path)).getMessage());
    assertTrue(said.matches(".*line \\d+ column \\d+ .*"), said);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "null"})
  void anEmptyFile(String json) throws IOException {
    Path path = file(json);
    String said =
        String.valueOf(
            assertThrows(IllegalArgumentException.class, () -> StageJson.plan(path)).getMessage());
    assertEquals("'" + path + "' is no plan: there is nothing in it", said);
  }

  @Test
  void refusesAnAbyss() throws IOException {
    Path path = file("{\"other\": " + "[".repeat(100_000));
    assertThrows(IllegalArgumentException.class, () -> StageJson.plan(path));
  }
}
