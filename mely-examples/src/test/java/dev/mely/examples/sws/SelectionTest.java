package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SelectionTest {
  @ParameterizedTest
  @CsvSource({
    "bytes=0-0, 0, 0",
    "bytes=0-99, 0, 99",
    "bytes=0-100, 0, 99",
    "bytes=99-, 99, 99",
    "bytes=-1, 99, 99",
    "bytes=-100, 0, 99",
    "bytes=-101, 0, 99",
    "Bytes= 5-6, 5, 6",
    "bytes=5-9223372036854775807, 5, 99",
    "bytes=5-9223372036854775808, 5, 99",
    "bytes=-99999999999999999999, 0, 99",
  })
  void satisfiable(String value, long first, long last) {
    Selection part = new Selection(Selection.Kind.PART, first, last - first + 1);
    assertEquals(part, Selection.ofRange(value, 100));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "bytes",
        "bytes=",
        "bytes=-",
        "bytes=5",
        "bytes=6-5",
        "bytes=a-b",
        "bytes=0-1,2-3",
        "bytes=--1",
        "bytes=+1-2",
        "bytes=1 -2",
        "lines=1-2",
        "bytes=\u0661-2"
      })
  void ignored(String value) {
    assertEquals(Selection.whole(100), Selection.ofRange(value, 100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bytes=100-", "bytes=100-200", "bytes=-0", "bytes=99999999999999999999-"})
  void unsatisfiable(String value) {
    assertEquals(Selection.UNSATISFIABLE, Selection.ofRange(value, 100));
  }

  @Test
  void nothingCanBeHadOfAnEmptyFile() {
    assertEquals(Selection.UNSATISFIABLE, Selection.ofRange("bytes=0-", 0));
    assertEquals(Selection.UNSATISFIABLE, Selection.ofRange("bytes=-5", 0));
  }
}
