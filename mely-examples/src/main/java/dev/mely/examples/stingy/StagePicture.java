package dev.mely.examples.stingy;

import dev.mely.examples.stingy.StageLayout.Line;
import dev.mely.examples.stingy.StageLayout.Link;
import dev.mely.examples.stingy.StageLayout.Node;
import dev.mely.stage.StageGraph;
import java.awt.BasicStroke;
import java.awt.Color;
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
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGraphics2D;
import org.w3c.dom.Document;

/**
 * A stage graph as a picture: a box for each stage with its runs, cost, penalty and memory, arrows
 * with how often one registers the other. {@link StageLayout} says where; here it is drawn, on
 * whatever {@link Graphics2D} there is.
 *
 * <p>Source: the Stingy Allocator, Figures 7 and 9.
 */
final class StagePicture {
  private static final Color LINE = new Color(0x4a, 0x6f, 0xa5);

  private final StageLayout layout;
  private final double width;
  private final double height;

  /** Of all stages; how dark a box is depends on its share. */
  private final long totalNanos;

  private StagePicture(StageGraph graph) {
    layout = StageLayout.of(graph);
    width = layout.width();
    height = layout.height();
    totalNanos =
        Math.max(1, graph.stages().stream().mapToLong(s -> s.runs() * s.costNanos()).sum());
  }

  /** Of a graph, laid out. */
  static StagePicture of(StageGraph graph) {
    return new StagePicture(graph);
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

  // ---- Drawing

  private void draw(Graphics2D g) {
    g.setColor(Color.WHITE);
    g.fill(new Rectangle2D.Double(0, 0, Math.ceil(width), Math.ceil(height)));
    for (StageLayout.Part part : layout.parts()) {
      part.links().forEach(link -> draw(g, link));
      part.nodes().forEach(node -> draw(g, node));
    }
    Line legend = new Line(StageLayout.legend(), StageLayout.TEXT, StageLayout.PALE);
    text(g, legend, StageLayout.MARGIN, height - StageLayout.MARGIN);
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
    double y = box.y + StageLayout.PADDING - 2;
    for (Line line : node.lines()) {
      y += StageLayout.LINE_HEIGHT;
      text(g, line, box.x + box.left + StageLayout.PADDING, y - 4);
    }
    if (node.entries() > 0) {
      double x = box.x + box.left;
      double middle = box.y + 22;
      g.setColor(LINE);
      stroke(g, box.x, middle, box.x, middle, x - 7, middle, x - 7, middle);
      head(g, x, middle, 1, 0);
      text(g, label(StageLayout.number(node.entries())), box.x, middle - 5);
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
    text(g, label(StageLayout.number(node.loops())), x + 5, y - 14);
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
    text(g, label(link.text()), label.x + 4, label.y + 12);
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

  private static Line label(String text) {
    return new Line(text, StageLayout.TEXT, StageLayout.INK);
  }

  private static void text(Graphics2D g, Line line, double x, double y) {
    g.setFont(line.font());
    g.setColor(line.color());
    g.drawString(line.text(), (float) x, (float) y);
  }
}
