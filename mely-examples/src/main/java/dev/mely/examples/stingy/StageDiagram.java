package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A stage graph as ASCII text that other programs draw: a box per stage with its runs, mean time,
 * penalty, memory and classes, and arrows with the number of registrations.
 *
 * <p>Source: the Stingy Allocator, Figures 7 and 9.
 */
final class StageDiagram {
  private static final String LEGEND =
      "The darker a stage, the greater its share of the time. Arrows have the number of"
          + " registered events.";

  /** Characters that may have a meaning for one of the programs, and are escaped. */
  private static final Pattern SPECIAL = Pattern.compile("^ |[^A-Za-z0-9 ]");

  private final StageGraph graph;
  private final String entity;
  private final String backslash;

  /**
   * @param entity start of a character reference, which ends with a semicolon
   * @param backslash how to write one: to Graphviz, {@code \N} is the name of the node
   */
  private StageDiagram(StageGraph graph, String entity, String backslash) {
    this.graph = graph;
    this.entity = entity;
    this.backslash = backslash;
  }

  /** As a Mermaid flowchart, which code hosts render in Markdown. */
  static String mermaid(StageGraph graph) {
    return "flowchart TB\n  %% "
        + LEGEND
        + new StageDiagram(graph, "#", "\\")
            .lines(
                "\n  %1$s[\"%2$s\"]\n  style %1$s fill:%3$s,stroke:#4a6fa5,color:#222b38",
                "\n  %1$s -->|%3$,d| %2$s")
        + "\n";
  }

  /** In DOT, the language of Graphviz. */
  static String dot(StageGraph graph) {
    return "digraph stages {\n  // "
        + LEGEND
        + "\n  node [shape=box, style=\"rounded,filled\", color=\"#4a6fa5\", fillcolor=white]"
        + new StageDiagram(graph, "&#", "\\\\")
            .lines("\n  %s [label=<%s>, fillcolor=\"%s\"]", "\n  %s -> %s [label=\"%,d\"]")
        + "\n}\n";
  }

  /**
   * @param stage format of a stage: its id, label and color
   * @param edge format of an edge: from, to and count
   */
  private String lines(String stage, String edge) {
    StringBuilder lines = new StringBuilder();
    Map<String, String> ids = new HashMap<>(Map.of(StageGraph.OUTSIDE, "outside"));
    for (Stage each : graph.stages()) {
      String id = "s" + (ids.size() - 1);
      ids.put(each.name(), id);
      lines.append(String.format(Locale.ROOT, stage, id, label(each), shade(each)));
    }
    for (Edge each : graph.edges()) {
      lines.append(
          String.format(Locale.ROOT, edge, ids.get(each.from()), ids.get(each.to()), each.count()));
    }
    return lines.toString();
  }

  private String label(Stage stage) {
    List<String> lines = new ArrayList<>();
    lines.add(escape(stage.name()));
    String cost = stage.runs() == 0 ? "has never run" : runs(stage);
    lines.add(cost + (stage.penalty() == 1 ? "" : ", penalty " + stage.penalty()));
    for (Allocation object : graph.allocations()) {
      if (isAt(object.allocatedBy(), stage)) {
        String count = object.count() > 1 ? object.count() + " x " : "";
        lines.add("allocates " + escape(object.name()) + ", " + count + size(object.bytes()));
      }
    }
    for (Allocation object : graph.allocations()) {
      if (isAt(object.freedBy(), stage)) {
        lines.add("frees " + escape(object.name()));
      }
    }
    stage.parts().forEach(part -> lines.add("class " + escape(part)));
    return String.join("<br/>", lines);
  }

  private static boolean isAt(List<Site> sites, Stage stage) {
    return sites.stream().anyMatch(site -> site.stage().equals(stage.name()));
  }

  private String escape(String name) {
    return SPECIAL
        .matcher(name.replace("\\", backslash))
        .replaceAll(special -> entity(special.group().codePointAt(0)));
  }

  private String entity(int character) {
    boolean shown =
        switch (Character.getType(character)) {
          case Character.CONTROL, Character.SURROGATE, Character.UNASSIGNED -> false;
          default -> true;
        };
    return entity + (shown ? character : 0xfffd) + ";"; // XML has no other characters
  }

  private static String runs(Stage stage) {
    double micros = stage.costNanos() / 1000.0;
    return String.format(
        Locale.ROOT,
        "%,d run%s of %.1f %s",
        stage.runs(),
        stage.runs() == 1 ? "" : "s",
        micros < 1000 ? micros : micros / 1000,
        micros < 1000 ? "us" : "ms");
  }

  private static String size(int bytes) {
    if (bytes == 0) {
      return "size unknown";
    }
    return bytes < 1024 ? bytes + " B" : String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
  }

  /** From almost white to orange, by the stage's share of the total time. */
  private String shade(Stage stage) {
    double all = graph.stages().stream().mapToDouble(StageDiagram::nanos).sum();
    double part = all == 0 ? 0 : Math.sqrt(nanos(stage) / all);
    return String.format(
        Locale.ROOT,
        "#%02x%02x%02x",
        Math.round(0xf7 - part * 0x02),
        Math.round(0xfa - part * 0x37),
        Math.round(0xfd - part * 0x7f));
  }

  private static double nanos(Stage stage) {
    return (double) stage.runs() * stage.costNanos();
  }
}
