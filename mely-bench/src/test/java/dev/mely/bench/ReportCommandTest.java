package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportCommandTest {
  @TempDir private Path directory;

  /** A picture that shows something: of a decent size, and with more than a few colors in it. */
  static void assertDrawn(Path png) throws IOException {
    BufferedImage image = ImageIO.read(png.toFile());
    Set<Integer> colors = new HashSet<>();
    for (int x = 0; x < image.getWidth(); x += 3) {
      for (int y = 0; y < image.getHeight(); y += 3) {
        colors.add(image.getRGB(x, y));
      }
    }
    assertTrue(image.getWidth() >= 800 && image.getHeight() >= 400, png::toString);
    assertTrue(colors.size() >= 5, () -> png + " has " + colors.size() + " colors");
  }

  static void assertSvg(Path svg) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    // The document type that SVG files name lies on another machine.
    factory.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
    var root = factory.newDocumentBuilder().parse(svg.toFile()).getDocumentElement();
    assertEquals("svg", root.getTagName());
    assertTrue(root.getElementsByTagName("*").getLength() > 20, svg::toString);
  }

  private int run(StringWriter err, String... args) {
    return Main.run(new PrintWriter(err, true), args);
  }

  @Test
  void drawsWhatARunHasLeft() throws Exception {
    Path file = Files.writeString(directory.resolve("a.json"), ResultsTest.some().toJson());
    Path out = directory.resolve("pictures");
    StringWriter err = new StringWriter();
    assertEquals(0, run(err, "report", file.toString(), "--out", out.toString()), err::toString);
    for (String name : List.of("unbalanced-all-\"short\"", "unbalanced-all-\"short\"-ratio")) {
      assertDrawn(out.resolve(name + ".png"));
      assertSvg(out.resolve(name + ".svg"));
    }
  }

  @Test
  void drawsOursBesideThePapers() throws Exception {
    Results results =
        new Results(
            "penalty",
            "chains",
            new Score("rate", "M events/s", 1e6, 2, true),
            Map.of("libasync", "libasync", "mely-penalty", "libasync"),
            Map.of(),
            Map.of(
                "libasync", List.of(Map.of("rate", 1e6)),
                "mely-penalty", List.of(Map.of("rate", 3e6))));
    Path file = Files.writeString(directory.resolve("c.json"), results.toJson());
    StringWriter err = new StringWriter();
    assertEquals(0, run(err, "report", file.toString()), err::toString);
    assertDrawn(directory.resolve("penalty-chains-paper.png"));
    assertSvg(directory.resolve("penalty-chains-paper.svg"));
  }

  @Test
  void tabulatesFiguresOfAnyKind() {
    Results echo =
        new Results(
            "echo",
            "",
            new Score("rate", "K/s", 1e3, 1, true),
            Map.of("nio", "nio"),
            Map.of(),
            Map.of("nio", List.of(Map.of("rate", 2_500.0, "p99", 12.345))));
    assertTrue(
        ReportCommand.table(echo)
            .toString()
            .contains("| nio       | 2.5 |  1.00 | 1.00–1.00 | 12.3 |"),
        () -> ReportCommand.table(echo).toString());
  }

  @Test
  void namesAFileThatIsMissing() {
    StringWriter err = new StringWriter();
    assertEquals(2, run(err, "report", directory.resolve("none.json").toString()));
    assertTrue(err.toString().contains("there is no file"), err::toString);
    assertTrue(err.toString().contains("none.json"), err::toString);
  }

  @Test
  void namesAFileThatIsSomethingElse() throws IOException {
    Path file = Files.writeString(directory.resolve("b.json"), "[1, 2]");
    StringWriter err = new StringWriter();
    assertEquals(2, run(err, "report", file.toString()));
    assertTrue(err.toString().contains("b.json': not JSON, or of something else: "), err::toString);
  }
}
