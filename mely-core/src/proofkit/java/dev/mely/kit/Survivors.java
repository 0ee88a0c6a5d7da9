package dev.mely.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Judges a report of pitest: which lines of the main code can change, or go, and no test notices. A
 * change that no test can notice stands in a list, with the reason; of all others a given share
 * must be noticed. The list has a line for each:
 *
 * <pre>
 * dev/mely/Room.java :: if (held &lt; most) { :: changed conditional boundary :: both grow by one at a time
 * </pre>
 *
 * <p>that is the file, the line of source without its indentation, the beginning of pitest's
 * description ({@code *} for each change of the line) and the reason. It names no line numbers, so
 * it outlives changes elsewhere in the file. An entry whose line is gone is an error as well. One
 * whose change is noticed is none: with real threads that may be so by chance.
 */
public final class Survivors {
  private record Change(String file, int line, String type, String what, boolean noticed) {}

  private record Entry(String file, String source, String what, String text) {
    boolean covers(Change change, String line) {
      return file.equals(change.file)
          && source.equals(line)
          && (what.equals("*") || change.what.startsWith(what));
    }
  }

  private static final class Tally {
    int changes;
    int noticed;
    int listed;
  }

  private final Map<String, Tally> types = new TreeMap<>();
  private final List<String> errors = new ArrayList<>();
  private final List<String> unnoticed = new ArrayList<>();

  /**
   * Prints a table of the classes, and what was not noticed.
   *
   * @param args pitest's {@code mutations.xml}, the folder of the sources, the list, and the least
   *     share that must be noticed, in percent
   * @throws IllegalStateException if fewer are noticed, or the list is out of date
   */
  public static void main(String[] args)
      throws IOException, ParserConfigurationException, SAXException {
    Survivors survivors = new Survivors();
    survivors.read(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
    System.out.print(survivors.table());
    survivors.unnoticed.forEach(System.out::println);
    String verdict = survivors.verdict(Integer.parseInt(args[3]));
    if (!verdict.isEmpty()) {
      throw new IllegalStateException(verdict);
    }
  }

  /** Reads pitest's report, and compares it with the list. */
  void read(Path report, Path sources, Path list)
      throws IOException, ParserConfigurationException, SAXException {
    List<Change> changes = changes(report);
    List<Entry> entries = entries(list);
    List<Entry> stale = new ArrayList<>(entries);
    Map<String, List<String>> lines = new TreeMap<>();
    for (Change change : changes) {
      Tally tally = types.computeIfAbsent(change.type, type -> new Tally());
      tally.changes++;
      if (!lines.containsKey(change.file)) {
        lines.put(change.file, Files.readAllLines(sources.resolve(change.file)));
      }
      String line = lines.get(change.file).get(change.line - 1).strip();
      List<Entry> covering = entries.stream().filter(entry -> entry.covers(change, line)).toList();
      stale.removeAll(covering);
      if (change.noticed) {
        tally.noticed++;
      } else if (covering.isEmpty()) {
        unnoticed.add(change.file + ":" + change.line + " :: " + line + " :: " + change.what);
      } else {
        tally.listed++;
      }
    }
    for (Entry entry : stale) {
      if (changes.stream().anyMatch(change -> change.file.equals(entry.file))) {
        errors.add("the list is out of date, the file has no such change: " + entry.text);
      }
    }
  }

  private static List<Change> changes(Path report)
      throws IOException, ParserConfigurationException, SAXException {
    List<Change> changes = new ArrayList<>();
    NodeList found =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(report.toFile())
            .getElementsByTagName("mutation");
    for (int i = 0; i < found.getLength(); i++) {
      Element mutation = (Element) found.item(i);
      String type = text(mutation, "mutatedClass");
      String folder = type.substring(0, type.lastIndexOf('.') + 1).replace('.', '/');
      changes.add(
          new Change(
              folder + text(mutation, "sourceFile"),
              Integer.parseInt(text(mutation, "lineNumber")),
              type.replaceFirst("\\$.*", ""),
              text(mutation, "description"),
              Boolean.parseBoolean(mutation.getAttribute("detected"))));
    }
    return changes;
  }

  private static String text(Element mutation, String tag) {
    return mutation.getElementsByTagName(tag).item(0).getTextContent();
  }

  private static List<Entry> entries(Path list) throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (String line : Files.readAllLines(list)) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      String[] parts = line.split(" :: ", -1);
      if (parts.length != 4 || parts[3].isBlank()) {
        throw new IllegalArgumentException(
            "not 'file :: source :: change :: reason' in " + list + ": " + line);
      }
      entries.add(new Entry(parts[0].strip(), parts[1].strip(), parts[2].strip(), line));
    }
    return entries;
  }

  /** The classes: how many changes there were, were noticed, and stand in the list. */
  String table() {
    StringBuilder table =
        new StringBuilder("| Class | Changes | Noticed | Listed |\n|---|---:|---:|---:|\n");
    types.forEach(
        (type, tally) ->
            table.append(
                "| %s | %d | %d | %d |\n"
                    .formatted(type, tally.changes, tally.noticed, tally.listed)));
    return table.toString();
  }

  /** What is wrong, or nothing. */
  String verdict(int least) {
    int noticed = types.values().stream().mapToInt(tally -> tally.noticed).sum();
    int counted = types.values().stream().mapToInt(tally -> tally.changes - tally.listed).sum();
    List<String> wrong = new ArrayList<>(errors);
    if (noticed * 100L < (long) least * counted) {
      wrong.add(
          "%d of %d changes were noticed, less than %d %%:\n%s"
              .formatted(noticed, counted, least, String.join("\n", unnoticed)));
    }
    return String.join("\n", wrong);
  }
}
