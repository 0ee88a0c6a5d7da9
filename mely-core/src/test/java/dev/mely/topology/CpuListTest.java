package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.Arrays;
import java.util.BitSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CpuListTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0;0",
        "0-3;0,1,2,3",
        "0-3,8-11;0,1,2,3,8,9,10,11",
        "5,1;1,5",
        "1-2,2-3;1,2,3",
        "' 7 , 9-10 ';7,9,10",
        "65535;65535",
      })
  void parsesLists(String text, String expected) {
    int[] numbers = Arrays.stream(expected.split(",")).mapToInt(Integer::parseInt).toArray();
    assertArrayEquals(numbers, parse(text).stream().toArray());
  }

  @Test
  void emptyTextIsTheEmptySet() {
    assertEquals(new BitSet(), parse(" \n"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "-",
        "-1",
        "1-",
        "3-1",
        "a",
        "0-b",
        "0,,1",
        "0,",
        ",",
        "0-1-2",
        "0x3",
        "1 2",
        "65536",
        "0-99999999999999999999",
        "\u0660",
        "ff,ff:1"
      })
  void refusesWhatIsNoList(String text) {
    assertNull(CpuList.parse(text));
  }

  @Test
  void absentTextIsNoList() {
    assertNull(CpuList.parse(null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "0-1", "0,2", "0-3,8-11", "1,3,5-7"})
  void formatsAsTheKernelDoes(String text) {
    assertEquals(text, CpuList.format(parse(text)));
  }

  private static BitSet parse(String text) {
    BitSet cpus = CpuList.parse(text);
    assertNotNull(cpus, text);
    return cpus;
  }
}
