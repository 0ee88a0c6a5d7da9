package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class SkewClientTest {
  @Test
  void putsEveryBusyConnectionOnTheFirstOfTwoLoops() {
    assertEquals("BLBLBLBL", SkewClient.skewed(4, 4, 2));
  }

  @Test
  void fillsUpWithConnectionsThatAreNeverUsed() {
    assertEquals("BLLBL-B", SkewClient.skewed(3, 3, 3));
    assertEquals("BLLL-LLL", SkewClient.skewed(1, 6, 4));
  }

  @Test
  void hasNothingToSkewOnOneLoop() {
    assertEquals("BBLLL", SkewClient.skewed(2, 3, 1));
  }

  @Test
  void letsTheNextOneBeginOnTheFirstLoop() {
    assertEquals("BBLL", SkewClient.padded("BBLL", 2));
    assertEquals("BLLL-LLL-", SkewClient.padded("BLLL-LLL-", 3));
    assertEquals("BBLL-", SkewClient.padded("BBLL", 5));
  }

  @Test
  void spreadsEvenly() {
    assertEquals("BBBBLLLL", SkewClient.even(4, 4));
  }
}
