package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Stage;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What stands where in a {@link StagePicture}: the text of each box, which parts of the graph hang
 * together, and how they share the sheet. Inside a part boxes are placed by {@link Layering}.
 */
final class StageLayout {
  static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 14);
  static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  static final Color INK = new Color(0x22, 0x2b, 0x38);
  static final Color PALE = new Color(0x6b, 0x74, 0x80);
  static final Color GAINED = new Color(0x1b, 0x6e, 0x3c);
  static final Color LOST = new Color(0xa3, 0x2f, 0x2f);
  static final double PADDING = 10;
  static final double LINE_HEIGHT = 17;

  /** Left of a box: for the arrow of what comes from outside, beside its number. */
  private static final double ENTRY = 16;

  static final double MARGIN = 24;
  private static final double BETWEEN = 48;

  /** Parts of the graph that have nothing to do with each other stand side by side up to here. */
  private static final double WIDE = 1100;

  /** A font's own measure and that of whoever shows an SVG differ a little. */
  private static final double SLACK = 1.08;

  record Line(String text, Font font, Color color) {}

  /** What is drawn of a stage. */
  record Node(Stage stage, List<Line> lines, long entries, long loops, Layering.Box box) {}

  /** What is drawn of an edge. */
  record Link(String text, Layering.Arrow arrow) {}

  /** A connected part of the graph. */
  record Part(List<Node> nodes, List<Link> links, Layering layering) {}

  private final StageGraph graph;
  private final FontMetrics titleMetrics;
  private final FontMetrics textMetrics;
  private final List<Part> parts = new ArrayList<>();
  private double width;
  private double height;

  private StageLayout(StageGraph graph) {
    this.graph = graph;
    Graphics2D measure = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
    titleMetrics = measure.getFontMetrics(TITLE);
    textMetrics = measure.getFontMetrics(TEXT);
    measure.dispose();
  }

  /** Lays a graph out. */
  static StageLayout of(StageGraph graph) {
    StageLayout layout = new StageLayout(graph);
    layout.layOut();
    return layout;
  }

  // ---- What has come of it

  double width() {
    return width;
  }

  double height() {
    return height;
  }

  List<Part> parts() {
    return parts;
  }

  /** Where the boxes of the stages are. */
  Map<String, Rectangle2D> boxes() {
    Map<String, Rectangle2D> boxes = new HashMap<>();
    for (Part part : parts) {
      for (Node node : part.nodes()) {
        boxes.put(node.stage().name(), bounds(node.box()));
      }
    }
    return boxes;
  }

  /** Where the labels of the arrows are. */
  List<Rectangle2D> labels() {
    return parts.stream()
        .flatMap(part -> part.links().stream())
        .map(link -> bounds(link.arrow().label))
        .toList();
  }

  private static Rectangle2D bounds(Layering.Box box) {
    return new Rectangle2D.Double(box.x, box.y, box.width, box.height);
  }

  // ---- Placing

  private void layOut() {
    Map<String, Node> nodes = new HashMap<>();
    graph.stages().forEach(stage -> nodes.put(stage.name(), node(stage)));
    List<Node> sorted = new ArrayList<>(nodes.values());
    sorted.sort(
        Comparator.comparingLong(Node::entries).reversed().thenComparing(n -> n.stage().name()));
    List<Link> links = new ArrayList<>();
    for (Edge edge : graph.edges()) {
      if (!edge.from().equals(StageGraph.OUTSIDE) && !edge.from().equals(edge.to())) {
        String text = number(edge.count());
        Layering.Box from = at(nodes, edge.from()).box();
        double wide = textMetrics.stringWidth(text) * SLACK + 8;
        links.add(new Link(text, new Layering.Arrow(from, at(nodes, edge.to()).box(), wide, 16)));
      }
    }
    while (!sorted.isEmpty()) {
      parts.add(part(sorted, links));
    }
    parts.sort(Comparator.comparingInt((Part part) -> part.nodes().size()).reversed());
    pack();
  }

  private static Node at(Map<String, Node> nodes, String name) {
    Node node = nodes.get(name);
    if (node == null) {
      throw new AssertionError("a graph has no edge to nowhere: " + name);
    }
    return node;
  }

  /** Takes the first stage, and whatever hangs together with it, out of the list. */
  private static Part part(List<Node> rest, List<Link> links) {
    List<Layering.Box> reached = new ArrayList<>(List.of(rest.get(0).box()));
    List<Link> mine = new ArrayList<>();
    for (int i = 0; i < reached.size(); i++) {
      for (Link link : links) {
        Layering.Box from = link.arrow().from;
        Layering.Box to = link.arrow().to;
        if (from == reached.get(i) || to == reached.get(i)) {
          if (!mine.contains(link)) {
            mine.add(link);
          }
          Layering.Box other = from == reached.get(i) ? to : from;
          if (!reached.contains(other)) {
            reached.add(other);
          }
        }
      }
    }
    List<Node> nodes = rest.stream().filter(n -> reached.contains(n.box())).toList();
    rest.removeAll(nodes);
    Layering layering =
        new Layering(
            nodes.stream().map(Node::box).toList(), mine.stream().map(Link::arrow).toList());
    layering.place();
    return new Part(nodes, mine, layering);
  }

  /** In rows, from the largest part to the smallest. */
  private void pack() {
    double x = MARGIN;
    double y = MARGIN;
    double rowHeight = 0;
    double row = WIDE;
    for (Part part : parts) {
      double wide = part.layering().width();
      double high = part.layering().height();
      row = Math.max(row, wide + 2 * MARGIN);
      if (x > MARGIN && x + wide + MARGIN > row) {
        x = MARGIN;
        y += rowHeight + BETWEEN;
        rowHeight = 0;
      }
      shift(part, x, y);
      x += wide + BETWEEN;
      rowHeight = Math.max(rowHeight, high);
      width = Math.max(width, x - BETWEEN + MARGIN);
    }
    height = y + rowHeight + MARGIN + 2 * LINE_HEIGHT;
    width = Math.max(width, textMetrics.stringWidth(legend()) * SLACK + 2 * MARGIN);
  }

  private static void shift(Part part, double x, double y) {
    List<Layering.Box> all = new ArrayList<>();
    part.nodes().forEach(node -> all.add(node.box()));
    part.links().forEach(link -> all.addAll(link.arrow().path));
    all.stream()
        .distinct()
        .forEach(
            box -> {
              box.x += x;
              box.y += y;
            });
  }

  private Node node(Stage stage) {
    List<Line> lines = new ArrayList<>();
    lines.add(new Line(stage.name(), TITLE, INK));
    String cost = stage.runs() == 0 ? "has never run" : number(stage.runs()) + " × " + time(stage);
    String penalty = stage.penalty() == 1 ? "" : ", penalty " + stage.penalty();
    lines.add(new Line(cost + penalty, TEXT, INK));
    for (StageGraph.Allocation object : graph.allocations()) {
      if (object.allocatedBy().stream().anyMatch(site -> site.stage().equals(stage.name()))) {
        String count = object.count() > 1 ? object.count() + " × " : "";
        lines.add(new Line("+ " + object.name() + ", " + count + size(object), TEXT, GAINED));
      }
    }
    for (StageGraph.Allocation object : graph.allocations()) {
      if (object.freedBy().stream().anyMatch(site -> site.stage().equals(stage.name()))) {
        lines.add(new Line("− " + object.name(), TEXT, LOST)); // a minus sign
      }
    }
    stage.parts().forEach(part -> lines.add(new Line(part, TEXT, PALE)));
    double widest = 0;
    for (Line line : lines) {
      FontMetrics metrics = line.font().equals(TITLE) ? titleMetrics : textMetrics;
      widest = Math.max(widest, metrics.stringWidth(line.text()) * SLACK);
    }
    long entries = count(StageGraph.OUTSIDE, stage);
    long loops = count(stage.name(), stage);
    Layering.Box box =
        new Layering.Box(
            widest + 2 * PADDING,
            lines.size() * LINE_HEIGHT + 2 * PADDING - 4,
            entries == 0 ? 0 : ENTRY + numberWidth(entries),
            loops == 0 ? 0 : ENTRY + numberWidth(loops));
    return new Node(stage, lines, entries, loops, box);
  }

  private double numberWidth(long number) {
    return textMetrics.stringWidth(number(number)) * SLACK;
  }

  private long count(String from, Stage to) {
    return graph.edges().stream()
        .filter(edge -> edge.from().equals(from) && edge.to().equals(to.name()))
        .mapToLong(Edge::count)
        .sum();
  }

  // ---- Words

  static String number(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  private static String time(Stage stage) {
    double micros = stage.costNanos() / 1000.0;
    return micros < 1000
        ? String.format(Locale.ROOT, "%.1f µs", micros)
        : String.format(Locale.ROOT, "%.1f ms", micros / 1000);
  }

  private static String size(StageGraph.Allocation object) {
    if (object.bytes() == 0) {
      return "? B";
    }
    return object.bytes() < 1024
        ? object.bytes() + " B"
        : String.format(Locale.ROOT, "%.1f KiB", object.bytes() / 1024.0);
  }

  static String legend() {
    return "Box: runs × mean time, + what a task gains there, − what it gives back; the darker, the"
        + " more of all time. Arrow: events registered.";
  }
}
