package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mely.kit.Cycles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The rings of the package, as its description names them: no class knows one further up. */
class RingsTest {
  private static final Path DESCRIPTION = Path.of("src/main/java/dev/mely/package-info.java");
  private static final Pattern RING = Pattern.compile(" \\*   ([a-z]+)  +\\S.*");
  private static final Pattern CLASSES = Pattern.compile(" \\*             ([A-Z][\\w ]+)");

  private final Map<String, SortedSet<String>> uses =
      new Cycles(
              new ClassFileImporter()
                  .withImportOption(new ImportOption.DoNotIncludeTests())
                  .importPackages("dev.mely"),
              "dev.mely")
          .uses();

  /** From the outermost ring to the innermost. */
  private final List<List<String>> rings = new ArrayList<>();

  RingsTest() throws IOException {
    for (String line : Files.readAllLines(DESCRIPTION)) {
      Matcher classes = CLASSES.matcher(line);
      if (RING.matcher(line).matches()) {
        rings.add(new ArrayList<>());
      } else if (classes.matches() && !rings.isEmpty()) {
        rings.get(rings.size() - 1).addAll(List.of(classes.group(1).split(" ")));
      }
    }
  }

  @Test
  void everyClassIsInOneRing() {
    List<String> named = rings.stream().flatMap(List::stream).sorted().toList();
    Set<String> all = new TreeSet<>(uses.keySet());
    all.remove("package-info");
    assertEquals(List.copyOf(all), named);
    assertEquals(6, rings.size());
  }

  @Test
  void noClassKnowsOneFurtherUp() {
    assertEquals(List.of(), upward(rings));
  }

  /** The test would notice: each ring is needed by those above it. */
  @Test
  void theOrderMatters() {
    for (int i = 1; i < rings.size(); i++) {
      List<List<String>> swapped = new ArrayList<>(rings);
      Collections.swap(swapped, i - 1, i);
      assertFalse(upward(swapped).isEmpty(), "rings " + (i - 1) + " and " + i);
    }
  }

  private List<String> upward(List<List<String>> order) {
    List<String> upward = new ArrayList<>();
    for (int ring = 0; ring < order.size(); ring++) {
      for (String from : order.get(ring)) {
        for (int above = 0; above < ring; above++) {
          for (String to : order.get(above)) {
            if (uses.containsKey(from) && uses.get(from).contains(to)) {
              upward.add(from + " needs " + to);
            }
          }
        }
      }
    }
    return upward;
  }
}
