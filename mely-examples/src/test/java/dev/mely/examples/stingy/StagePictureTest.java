package dev.mely.examples.stingy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.stage.StageGraph;
import dev.mely.stage.StageGraph.Allocation;
import dev.mely.stage.StageGraph.Edge;
import dev.mely.stage.StageGraph.Site;
import dev.mely.stage.StageGraph.Stage;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.xml.sax.InputSource;

/** What is drawn, and that it can be read. */
class StagePictureTest {
  private static StageGraph web() {
    return new StageGraph(
        List.of(
            new Stage("Parse <request>", 1234567, 2_500, 10, List.of("Parser", "Decoder")),
            new Stage("Read", 1000, 900, 1, List.of("Client")),
            new Stage("Write", 1000, 15_000_000, 1, List.of("Client"))),
        List.of(
            new Edge(StageGraph.OUTSIDE, "Read", 1000),
            new Edge("Parse <request>", "Parse <request>", 17),
            new Edge("Parse <request>", "Write", 1001),
            new Edge("Read", "Parse <request>", 1002),
            new Edge("Write", "Parse <request>", 1003)),
        List.of(
            new Allocation(
                "buffer",
                2048,
                2,
                true,
                List.of(new Site("Read", 1000, 0)),
                List.of(new Site("Write", 1000, 0)))));
  }

  private static String textOf(String svg) throws Exception {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    return factory
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)))
        .getDocumentElement()
        .getTextContent();
  }

  @Test
  void showsWhatIsKnown() throws Exception {
    String text = textOf(StagePicture.of(web()).svg());
    for (String expected :
        List.of(
            "Parse <request>",
            "1,234,567 × 2.5 µs, penalty 10",
            "15.0 ms",
            "Decoder",
            "+ buffer, 2 × 2.0 KiB",
            "− buffer",
            "17",
            "1,000",
            "1,001",
            "1,002",
            "1,003")) {
      assertTrue(text.contains(expected), expected + " in " + text);
    }
  }

  @Test
  void isAnImageOfTheSameSize() throws IOException {
    BufferedImage image = ImageIO.read(new ByteArrayInputStream(StagePicture.of(web()).png()));
    for (Rectangle2D box : StageLayout.of(web()).boxes().values()) {
      assertTrue(box.getMaxX() * 2 < image.getWidth() && box.getMaxY() * 2 < image.getHeight());
    }
  }

  @Test
  void edgesPointDownUnlessTheyCloseACycle() {
    Map<String, Rectangle2D> boxes = StageLayout.of(web()).boxes();
    assertTrue(box(boxes, "Read").getMaxY() < box(boxes, "Parse <request>").getMinY());
    assertTrue(box(boxes, "Parse <request>").getMaxY() < box(boxes, "Write").getMinY());
  }

  private static Rectangle2D box(Map<String, Rectangle2D> boxes, String name) {
    Rectangle2D box = boxes.get(name);
    assertTrue(box != null, name);
    return box;
  }

  @Test
  void nothingLiesOverAnything() {
    for (int seed = 0; seed < 60; seed++) {
      Random random = new Random(seed);
      List<Stage> stages = new ArrayList<>();
      List<Edge> edges = new ArrayList<>();
      int size = 1 + random.nextInt(14);
      for (int s = 0; s < size; s++) {
        String name = "stage" + "x".repeat(random.nextInt(20)) + s;
        List<String> parts = random.nextBoolean() ? List.of() : List.of("a", "b", "c");
        stages.add(new Stage(name, random.nextInt(9), 1000, 1, parts));
        edges.add(new Edge(StageGraph.OUTSIDE, name, 5));
      }
      for (int e = 0; e < size * 3 / 2; e++) {
        Edge edge =
            new Edge(
                stages.get(random.nextInt(size)).name(),
                stages.get(random.nextInt(size)).name(),
                123_456);
        if (!edges.contains(edge)) {
          edges.add(edge);
        }
      }
      StageLayout layout = StageLayout.of(new StageGraph(stages, edges, List.of()));
      List<Rectangle2D> all = new ArrayList<>(layout.boxes().values());
      assertEquals(size, all.size());
      all.addAll(layout.labels());
      for (int i = 0; i < all.size(); i++) {
        for (int j = 0; j < i; j++) {
          assertFalse(
              all.get(i).intersects(all.get(j)), "seed " + seed + ": " + all.get(i) + all.get(j));
        }
      }
    }
  }

  @Test
  void anEmptyGraphIsAPictureToo() throws Exception {
    StageGraph none = new StageGraph(List.of(), List.of(), List.of());
    assertTrue(textOf(StagePicture.of(none).svg()).contains("Box: runs"));
  }
}
