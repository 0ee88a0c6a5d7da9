package dev.mely.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Links between the documents lead somewhere, and their lines can be read without a ruler. */
class LinksTest {
  private static final int LONGEST_LINE = 120;

  private static final Pattern FENCED =
      Pattern.compile("^```.*?^```", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern LINK = Pattern.compile("\\[[^\\]]*\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("^#{1,6} +(.*?) *$", Pattern.MULTILINE);
  private static final Pattern ANCHOR = Pattern.compile("<a (?:id|name)=\"([^\"]+)\">");

  @Test
  void eachLinkLeadsToAFileAndAHeading() {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : Pages.all()) {
      Matcher link = LINK.matcher(FENCED.matcher(Pages.read(page)).replaceAll(""));
      while (link.find()) {
        URI target = URI.create(link.group(1));
        if (target.isAbsolute()) {
          continue;
        }
        links++;
        if (!leadsSomewhere(page, target)) {
          broken.add(page + ": " + target);
        }
      }
    }
    assertEquals(List.of(), broken);
    int found = links;
    assertTrue(found > 20, () -> "links: " + found);
  }

  private static boolean leadsSomewhere(Path page, URI target) {
    Path file =
        target.getPath().isEmpty() ? page : page.resolveSibling(target.getPath()).normalize();
    return Files.exists(file)
        && (target.getFragment() == null || anchors(file).contains(target.getFragment()));
  }

  private static Set<String> anchors(Path file) {
    String text = FENCED.matcher(Pages.read(file)).replaceAll("");
    Set<String> anchors = new HashSet<>();
    HEADING.matcher(text).results().forEach(heading -> add(anchors, slug(heading.group(1))));
    ANCHOR.matcher(text).results().forEach(anchor -> anchors.add(anchor.group(1)));
    return anchors;
  }

  /** The second of two equal headings gets a number. */
  private static void add(Set<String> anchors, String slug) {
    String free = slug;
    for (int i = 1; !anchors.add(free); i++) {
      free = slug + "-" + i;
    }
  }

  /**
   * What GitHub makes of a heading: letters, digits, hyphens and underscores, spaces to hyphens.
   */
  private static String slug(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", "").replace(' ', '-');
  }

  @Test
  void eachDecisionIsInTheIndex() {
    String text = Pages.read(Pages.page("decisions.md"));
    List<String> missing =
        HEADING
            .matcher(text)
            .results()
            .map(heading -> slug(heading.group(1)))
            .skip(1) // the page's own
            .filter(slug -> !text.contains("](#" + slug + ")"))
            .toList();
    assertEquals(List.of(), missing);
  }

  /** Rows of tables excepted, which cannot be broken. */
  @Test
  void linesAreShort() {
    List<String> tooLong = new ArrayList<>();
    for (Path page : Pages.all()) {
      List<String> lines = Pages.read(page).lines().toList();
      for (int i = 0; i < lines.size(); i++) {
        String line = lines.get(i);
        if (!line.startsWith("|") && line.codePointCount(0, line.length()) > LONGEST_LINE) {
          tooLong.add(page + ":" + (i + 1));
        }
      }
    }
    assertEquals(List.of(), tooLong, () -> "longer than " + LONGEST_LINE);
  }
}
