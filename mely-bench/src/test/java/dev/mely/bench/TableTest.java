package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class TableTest {
  @Test
  void alignsItsColumns() {
    Table table = new Table("name", "x");
    table.add("a", "1");
    table.add("longer", "1,234.5");
    assertEquals(
        """
        | name   |       x |
        |--------|--------:|
        | a      |       1 |
        | longer | 1,234.5 |
        """,
        table.toString());
  }

  @Test
  void refusesALineThatDoesNotFit() {
    Table table = new Table("name", "x");
    assertThrows(IllegalArgumentException.class, () -> table.add("a"));
  }

  @Test
  void writesNumbersAlikeInEveryLocale() {
    assertEquals("1,234.50", Table.number(1234.5, 2));
    assertEquals("0", Table.number(0.4, 0));
    assertEquals("–", Table.number(Double.NaN, 2));
    assertEquals("–", Table.number(Double.POSITIVE_INFINITY, 2));
  }
}
