package dev.mely;

import java.util.List;

/** Makes text fit a terminal: cuts long names in the middle, wraps long lines. */
final class Terminal {
  /** Columns. */
  static final int WIDTH = 120;

  private static final int NAME = 72;
  private static final String CUT = "...";
  private static final String INDENT = "    ";

  /** After which a line may end, the best first. */
  private static final List<String> MARKS = List.of("; ", ", ", " ", ",");

  private Terminal() {}

  /** A name as one word or more of a line: the beginning and the end, if it is long. */
  static String name(String name) {
    String line = name.replaceAll("\\s+", " ");
    if (line.length() <= NAME) {
      return line;
    }
    int kept = NAME - CUT.length();
    int end = kept / 2; // at most as long as the beginning
    return line.substring(0, kept - end) + CUT + line.substring(line.length() - end);
  }

  /** Wraps each line that is too long, after a space or a comma; what follows is indented. */
  static String wrap(String text) {
    StringBuilder wrapped = new StringBuilder();
    text.lines().forEach(line -> wrap(line, wrapped));
    return wrapped.toString();
  }

  private static void wrap(String line, StringBuilder wrapped) {
    String rest = line;
    while (rest.length() > WIDTH) {
      int end = endOfFirst(rest);
      wrapped.append(rest.substring(0, end).stripTrailing()).append('\n');
      rest = INDENT + rest.substring(end).stripLeading();
    }
    wrapped.append(rest).append('\n');
  }

  /** Where the first part of a line ends: in the middle of a word only if that is too long. */
  private static int endOfFirst(String line) {
    for (String mark : MARKS) {
      int end = mark.length() + line.lastIndexOf(mark, WIDTH - mark.length());
      if (end > WIDTH / 2) {
        return end;
      }
    }
    return WIDTH;
  }
}
