package dev.mely.netty;

import java.util.EnumSet;
import org.junit.jupiter.api.Test;

/** The tests that may fail on Mely's group do fail on Netty's own, in the same build. */
class StockFailuresTest {
  @Test
  void allTestsOnTheListFail() {
    StockSuite.assertListedOnesFail(EnumSet.of(SuiteIo.NIO, SuiteIo.EPOLL));
  }
}
