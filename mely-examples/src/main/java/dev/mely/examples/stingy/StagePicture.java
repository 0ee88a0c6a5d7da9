package dev.mely.examples.stingy;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Stage;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.FontMetrics;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Path2D;
import java.awt.geom.Rectangle2D;
import java.awt.geom.RoundRectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.w3c.dom.Document;

/**
 * A stage graph as a picture: a box for each stage with its runs, cost, penalty and memory, arrows
 * with how often one registers the other. Drawn once, on whatever {@link Graphics2D} there is.
 *
 * <p>Source: the Stingy Allocator, Figures 7 and 9.
 */
final class StagePicture {
  private static final Font TITLE = new Font(Font.SANS_SERIF, Font.BOLD, 14);
  private static final Font TEXT = new Font(Font.SANS_SERIF, Font.PLAIN, 12);
  private static final Color INK = new Color(0x22, 0x2b, 0x38);
  private static final Color PALE = new Color(0x6b, 0x74, 0x80);
  private static final Color LINE = new Color(0x4a, 0x6f, 0xa5);
  private static final Color GAINED = new Color(0x1b, 0x6e, 0x3c);
  private static final Color LOST = new Color(0xa3, 0x2f, 0x2f);
  private static final double PADDING = 10;
  private static final double LINE_HEIGHT = 17;

  /** Left of a box: for the arrow of what comes from outside, beside its number. */
  private static final double ENTRY = 16;

  private static final double MARGIN = 24;
  private static final double BETWEEN = 48;

  /** Parts of the graph that have nothing to do with each other stand side by side up to here. */
  private static final double WIDE = 1100;

  /** A font's own measure and that of whoever shows an SVG differ a little. */
  private static final double SLACK = 1.08;

  private record Line(String text, Font font, Color color) {}

  /** What is drawn of a stage. */
  private record Node(Stage stage, List<Line> lines, long entries, long loops, Layering.Box box) {}

  /** What is drawn of an edge. */
  private record Link(String text, Layering.Arrow arrow) {}

  /** A connected part of the graph. */
  private record Part(List<Node> nodes, List<Link> links, Layering layering) {}

  private final StageGraph graph;
  private final FontMetrics titleMetrics;
  private final FontMetrics textMetrics;
  private final List<Part> parts = new ArrayList<>();
  private final long totalNanos;
  private double width;
  private double height;

  private StagePicture(StageGraph graph) {
    this.graph = graph;
    Graphics2D measure = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
    titleMetrics = measure.getFontMetrics(TITLE);
    textMetrics = measure.getFontMetrics(TEXT);
    measure.dispose();
    totalNanos =
        Math.max(1, graph.stages().stream().mapToLong(s -> s.runs() * s.costNanos()).sum());
  }

  /** Lays a graph out. */
  static StagePicture of(StageGraph graph) {
    StagePicture picture = new StagePicture(graph);
    picture.layOut();
    return picture;
  }

  // ---- Forms

  /** As an SVG document. */
  String svg() {
    Document document;
    try {
      document = DocumentBuilderFactory.newInstance().newDocumentBuilder().newDocument();
    } catch (ParserConfigurationException e) {
      throw new AssertionError("every JDK reads XML", e);
    }
    SVGGraphics2D svg = new SVGGraphics2D(document);
    svg.setSVGCanvasSize(new java.awt.Dimension((int) Math.ceil(width), (int) Math.ceil(height)));
    draw(svg);
    StringWriter out = new StringWriter();
    try {
      svg.stream(out, true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toString();
  }

  /** As a PNG image. */
  byte[] png() {
    int scale = 2;
    BufferedImage image =
        new BufferedImage(
            (int) Math.ceil(width * scale),
            (int) Math.ceil(height * scale),
            BufferedImage.TYPE_INT_RGB);
    Graphics2D g = image.createGraphics();
    g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
    g.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    g.setRenderingHint(
        RenderingHints.KEY_FRACTIONALMETRICS, RenderingHints.VALUE_FRACTIONALMETRICS_ON);
    g.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
    g.scale(scale, scale);
    draw(g);
    g.dispose();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      ImageIO.write(image, "png", out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return out.toByteArray();
  }

  /** Where the boxes of the stages are, for tests. */
  Map<String, Rectangle2D> boxes() {
    Map<String, Rectangle2D> boxes = new HashMap<>();
    for (Part part : parts) {
      for (Node node : part.nodes()) {
        boxes.put(node.stage().name(), bounds(node.box()));
      }
    }
    return boxes;
  }

  /** Where the labels of the arrows are, for tests. */
  List<Rectangle2D> labels() {
    return parts.stream()
        .flatMap(part -> part.links().stream())
        .map(link -> bounds(link.arrow().label))
        .toList();
  }

  private static Rectangle2D bounds(Layering.Box box) {
    return new Rectangle2D.Double(box.x, box.y, box.width, box.height);
  }

  // ---- Layout

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

  private static String number(long count) {
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

  private static String legend() {
    return "Box: runs × mean time, + what a task gains there, − what it gives back; the darker, the"
        + " more of all time. Arrow: events registered.";
  }

  // ---- Drawing

  private void draw(Graphics2D g) {
    g.setColor(Color.WHITE);
    g.fill(new Rectangle2D.Double(0, 0, Math.ceil(width), Math.ceil(height)));
    for (Part part : parts) {
      part.links().forEach(link -> draw(g, link));
      part.nodes().forEach(node -> draw(g, node));
    }
    text(g, new Line(legend(), TEXT, PALE), MARGIN, height - MARGIN);
  }

  private void draw(Graphics2D g, Node node) {
    Layering.Box box = node.box();
    RoundRectangle2D shape =
        new RoundRectangle2D.Double(box.x + box.left, box.y, box.innerWidth(), box.height, 10, 10);
    double share = node.stage().runs() * (double) node.stage().costNanos() / totalNanos;
    g.setColor(shade(share));
    g.fill(shape);
    g.setColor(LINE);
    g.setStroke(new BasicStroke(1.2f));
    g.draw(shape);
    double y = box.y + PADDING - 2;
    for (Line line : node.lines()) {
      y += LINE_HEIGHT;
      text(g, line, box.x + box.left + PADDING, y - 4);
    }
    if (node.entries() > 0) {
      double x = box.x + box.left;
      double middle = box.y + 22;
      g.setColor(LINE);
      stroke(g, box.x, middle, box.x, middle, x - 7, middle, x - 7, middle);
      head(g, x, middle, 1, 0);
      text(g, new Line(number(node.entries()), TEXT, INK), box.x, middle - 5);
    }
    if (node.loops() > 0) {
      drawLoop(g, node);
    }
  }

  private void drawLoop(Graphics2D g, Node node) {
    Layering.Box box = node.box();
    double x = box.x + box.width - box.right;
    double y = box.y + box.height / 2;
    g.setColor(LINE);
    stroke(g, x, y - 8, x + 20, y - 14, x + 20, y + 14, x + 6, y + 8);
    head(g, x, y + 8, -1, 0);
    text(g, new Line(number(node.loops()), TEXT, INK), x + 5, y - 14);
  }

  private void draw(Graphics2D g, Link link) {
    Layering.Arrow arrow = link.arrow();
    g.setColor(LINE);
    g.setStroke(new BasicStroke(1.2f));
    for (int i = 0; i + 1 < arrow.path.size(); i++) {
      Layering.Box upper = arrow.path.get(i);
      Layering.Box lower = arrow.path.get(i + 1);
      boolean first = i == 0 && arrow.reversed;
      boolean last = i + 2 == arrow.path.size() && !arrow.reversed;
      double x1 = port(arrow, upper, lower, true);
      double y1 = upper.y + upper.height;
      double x2 = port(arrow, lower, upper, false);
      double y2 = lower.y;
      double top = first ? y1 + 7 : y1;
      double bottom = last ? y2 - 7 : y2;
      double bend = (bottom - top) / 2;
      stroke(g, x1, top, x1, top + bend, x2, bottom - bend, x2, bottom);
      if (upper.passes) {
        stroke(g, x1, upper.y, x1, upper.y, x1, y1, x1, y1);
      }
      if (first) {
        head(g, x1, y1, 0, -1);
      }
      if (last) {
        head(g, x2, y2, 0, 1);
      }
    }
    Layering.Box label = arrow.label;
    text(g, new Line(link.text(), TEXT, INK), label.x + 4, label.y + 12);
  }

  /** Where an arrow meets a box: towards where it goes to, on the box's edge. */
  private static double port(
      Layering.Arrow arrow, Layering.Box box, Layering.Box other, boolean below) {
    boolean end = box == arrow.path.get(0) || box == arrow.path.get(arrow.path.size() - 1);
    if (!end) {
      return box.centerX();
    }
    double reach = Math.max(0, box.innerWidth() / 2 - 18);
    double off = Math.max(-reach, Math.min(reach, (other.centerX() - box.centerX()) * 0.6));
    double side = !below && off == 0 ? 0 : off;
    return box.centerX() + side;
  }

  private static void stroke(
      Graphics2D g,
      double x1,
      double y1,
      double c1,
      double d1,
      double c2,
      double d2,
      double x2,
      double y2) {
    Path2D path = new Path2D.Double();
    path.moveTo(x1, y1);
    path.curveTo(c1, d1, c2, d2, x2, y2);
    g.draw(path);
  }

  /** An arrow's head that points in a direction. */
  private static void head(Graphics2D g, double x, double y, double dx, double dy) {
    Path2D path = new Path2D.Double();
    path.moveTo(x, y);
    path.lineTo(x - 8 * dx + 4 * dy, y - 8 * dy + 4 * dx);
    path.lineTo(x - 8 * dx - 4 * dy, y - 8 * dy - 4 * dx);
    path.closePath();
    g.fill(path);
  }

  private static Color shade(double share) {
    double part = Math.sqrt(Math.max(0, Math.min(1, share)));
    return new Color(
        (int) (0xf7 + part * (0xf5 - 0xf7)),
        (int) (0xfa + part * (0xc3 - 0xfa)),
        (int) (0xfd + part * (0x7e - 0xfd)));
  }

  private static void text(Graphics2D g, Line line, double x, double y) {
    g.setFont(line.font());
    g.setColor(line.color());
    g.drawString(line.text(), (float) x, (float) y);
  }
}
