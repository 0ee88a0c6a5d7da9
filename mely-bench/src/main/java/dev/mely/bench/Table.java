package dev.mely.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A table in Markdown, to be pasted into the docs. The first column is left-aligned, all others
 * right-aligned.
 */
public final class Table {
  private static final String NONE = "–";

  private final List<List<String>> rows = new ArrayList<>();

  /**
   * Makes an empty table.
   *
   * @param header one title per column
   */
  public Table(String... header) {
    rows.add(List.of(header));
  }

  /**
   * Adds a line.
   *
   * @param cells one per column
   * @throws IllegalArgumentException if there are more or fewer
   */
  public void add(String... cells) {
    int columns = rows.get(0).size();
    if (cells.length != columns) {
      throw new IllegalArgumentException(
          "the table has " + columns + " columns, but the line has " + cells.length + " cells");
    }
    rows.add(List.of(cells));
  }

  /**
   * Formats a number.
   *
   * @param value the number; if not finite, the text is a dash
   * @param decimals digits after the point
   * @return the text
   */
  public static String number(double value, int decimals) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return NONE;
    }
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }

  /** The table, whose lines all end with a line feed. */
  @Override
  public String toString() {
    int columns = rows.get(0).size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], Math.max(2, row.get(i).length()));
      }
    }
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.size(); r++) {
      text.append('|');
      for (int i = 0; i < columns; i++) {
        String cell = rows.get(r).get(i);
        String gap = " ".repeat(widths[i] - cell.length());
        text.append(' ').append(i == 0 ? cell + gap : gap + cell).append(" |");
      }
      text.append('\n');
      if (r == 0) {
        rule(text, widths);
      }
    }
    return text.toString();
  }

  private static void rule(StringBuilder text, int[] widths) {
    text.append('|');
    for (int i = 0; i < widths.length; i++) {
      text.append(i == 0 ? "-".repeat(widths[i] + 2) : "-".repeat(widths[i] + 1) + ":").append('|');
    }
    text.append('\n');
  }
}
