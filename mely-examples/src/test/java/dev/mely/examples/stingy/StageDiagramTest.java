package dev.mely.examples.stingy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is drawn, and that no name can be taken for anything else. */
class StageDiagramTest {
  /** What either program reads as one text: no quote, no tag but the line break. */
  private static final String LABEL = "((?:[A-Za-z0-9 .,]|&?#\\d+;|<br/>)*)";

  private static final Map<String, Pattern> MERMAID =
      Map.of(
          "frame", Pattern.compile("flowchart TB|  %% [A-Za-z .,]+"),
          "stage", Pattern.compile("  (s\\d+)\\[\"" + LABEL + "\"]"),
          "style", Pattern.compile("  style (s\\d+) fill:#[0-9a-f]{6},stroke:#\\w+,color:#\\w+"),
          "edge", Pattern.compile("  (outside|s\\d+) -->\\|([\\d,]+)\\| (s\\d+)"));

  private static final Map<String, Pattern> DOT =
      Map.of(
          "frame", Pattern.compile("digraph stages \\{|  // [A-Za-z .,]+|  node \\[[^\\]]+]|}"),
          "stage",
              Pattern.compile("  (s\\d+) \\[label=<" + LABEL + ">, fillcolor=\"#[0-9a-f]{6}\"]"),
          "edge", Pattern.compile("  (outside|s\\d+) -> (s\\d+) \\[label=\"[\\d,]+\"]"));

  private static StageGraph web() {
    return new StageGraph(
        List.of(
            new Stage("Parse <request>", 1234567, 2_500, 10, List.of("Parser", "Decoder$1")),
            new Stage("Read", 1, 900, 1, List.of("Client")),
            new Stage("Rest", 0, 0, 1, List.of()),
            new Stage("Write", 1000, 15_000_000, 1, List.of("Client"))),
        List.of(
            new Edge(StageGraph.OUTSIDE, "Read", 1000),
            new Edge("Parse <request>", "Parse <request>", 17),
            new Edge("Parse <request>", "Write", 1001),
            new Edge("Read", "Parse <request>", 1002),
            new Edge("Write", "Parse <request>", 1003)),
        List.of(
            new Allocation(
                "buffer-1",
                2048,
                2,
                true,
                List.of(new Site("Read", 1, 0)),
                List.of(new Site("Write", 1000, 0))),
            new Allocation("page", 0, 0, false, List.of(new Site("Read", 1, 1)), List.of()),
            new Allocation("word", 8, 1, false, List.of(new Site("Write", 1, 0)), List.of())));
  }

  @Test
  void aFlowchart() {
    assertEquals(
        """
        flowchart TB
          %% The darker a stage, the greater its share of the time. Arrows have the number of \
        registered events.
          s0["Parse #60;request#62;<br/>1,234,567 runs of 2.5 us, penalty 10<br/>class Parser\
        <br/>class Decoder#36;1"]
          style s0 fill:#f6e3c9,stroke:#4a6fa5,color:#222b38
          s1["Read<br/>1 run of 0.9 us<br/>allocates buffer#45;1, 2 x 2.0 KiB\
        <br/>allocates page, size unknown<br/>class Client"]
          style s1 fill:#f7fafd,stroke:#4a6fa5,color:#222b38
          s2["Rest<br/>has never run"]
          style s2 fill:#f7fafd,stroke:#4a6fa5,color:#222b38
          s3["Write<br/>1,000 runs of 15.0 ms<br/>allocates word, 8 B<br/>frees buffer#45;1\
        <br/>class Client"]
          style s3 fill:#f5c889,stroke:#4a6fa5,color:#222b38
          outside -->|1,000| s1
          s0 -->|17| s0
          s0 -->|1,001| s3
          s1 -->|1,002| s0
          s3 -->|1,003| s0
        """,
        StageDiagram.mermaid(web()));
  }

  @Test
  void aDigraph() {
    assertEquals(
        """
        digraph stages {
          // The darker a stage, the greater its share of the time. Arrows have the number of \
        registered events.
          node [shape=box, style="rounded,filled", color="#4a6fa5", fillcolor=white]
          s0 [label=<Parse &#60;request&#62;<br/>1,234,567 runs of 2.5 us, penalty 10<br/>class Parser\
        <br/>class Decoder&#36;1>, fillcolor="#f6e3c9"]
          s1 [label=<Read<br/>1 run of 0.9 us<br/>allocates buffer&#45;1, 2 x 2.0 KiB\
        <br/>allocates page, size unknown<br/>class Client>, fillcolor="#f7fafd"]
          s2 [label=<Rest<br/>has never run>, fillcolor="#f7fafd"]
          s3 [label=<Write<br/>1,000 runs of 15.0 ms<br/>allocates word, 8 B<br/>frees buffer&#45;1\
        <br/>class Client>, fillcolor="#f5c889"]
          outside -> s1 [label="1,000"]
          s0 -> s0 [label="17"]
          s0 -> s3 [label="1,001"]
          s1 -> s0 [label="1,002"]
          s3 -> s0 [label="1,003"]
        }
        """,
        StageDiagram.dot(web()));
  }

  @Test
  void anEmptyGraphIsADiagramToo() {
    StageGraph none = new StageGraph(List.of(), List.of(), List.of());
    assertEquals(List.of(), labels(StageDiagram.mermaid(none), MERMAID));
    assertEquals(List.of(), labels(StageDiagram.dot(none), DOT));
  }

  /** Wherever a name may stand, it is shown as it is, and the lines are those of any graph. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"]; click s0 \"javascript:alert(1)",
        "a\"] --> s1[\"b",
        "a\", URL=\"http://example.org",
        "%%{init: {'theme': 'dark'}}%%",
        "---",
        "end",
        "subgraph x",
        "style: s0 #1;",
        "<script>alert(1)</script>",
        "<br/>\\n<b>a</b>",
        "#quot;#34; &quot;&#34; &amp;",
        "a\\",
        "\\N\\l\\r",
        "- a",
        "1. a",
        "    a",
        " ",
        "`a` _b_ **c**",
        "www.example.org",
        "}\n}; {",
        "\u00e4\u00b5 \u65e5\u672c \ud83d\ude00"
      })
  void aNameIsNothingButAName(String name) {
    StageGraph graph =
        new StageGraph(
            List.of(new Stage(name, 1, 1, 1, List.of(name))),
            List.of(new Edge(StageGraph.OUTSIDE, name, 1), new Edge(name, name, 2)),
            List.of(
                new Allocation(
                    name,
                    1,
                    1,
                    true,
                    List.of(new Site(name, 1, 0)),
                    List.of(new Site(name, 1, 0)))));
    String shown = name.replace('\n', '\ufffd');
    List<String> expected =
        List.of(
            shown,
            "1 run of 0.0 us",
            "allocates " + shown + ", 1 B",
            "frees " + shown,
            "class " + shown);
    assertEquals(List.of(expected), labels(StageDiagram.mermaid(graph), MERMAID));
    List<String> doubled = expected.stream().map(line -> line.replace("\\", "\\\\")).toList();
    assertEquals(List.of(doubled), labels(StageDiagram.dot(graph), DOT));
  }

  /** XML, which both programs write, has no such characters. */
  @ParameterizedTest
  @ValueSource(ints = {0, 0x1b, 0x85, 0xd800, 0xdc00, 0xfffe, 0xffff})
  void whatCannotBeShownIsReplaced(int character) {
    StageGraph graph =
        new StageGraph(
            List.of(new Stage("a" + Character.toString(character) + "b", 0, 0, 1, List.of())),
            List.of(),
            List.of());
    List<List<String>> expected = List.of(List.of("a\ufffdb", "has never run"));
    assertEquals(expected, labels(StageDiagram.mermaid(graph), MERMAID));
    assertEquals(expected, labels(StageDiagram.dot(graph), DOT));
  }

  /** The lines of each stage's label, decoded; each line of the text is one that there may be. */
  private static List<List<String>> labels(String text, Map<String, Pattern> lines) {
    List<List<String>> labels = new ArrayList<>();
    for (String line : text.lines().toList()) {
      assertTrue(line.chars().allMatch(c -> c >= ' ' && c <= '~'), line);
      assertTrue(lines.values().stream().anyMatch(p -> p.matcher(line).matches()), line);
      Matcher stage = lines.get("stage").matcher(line);
      if (stage.matches()) {
        labels.add(
            Pattern.compile("<br/>")
                .splitAsStream(stage.group(2))
                .map(StageDiagramTest::decoded)
                .toList());
      }
    }
    return labels;
  }

  private static String decoded(String label) {
    return Pattern.compile("&?#(\\d+);")
        .matcher(label)
        .replaceAll(
            entity ->
                Matcher.quoteReplacement(Character.toString(Integer.parseInt(entity.group(1)))));
  }
}
