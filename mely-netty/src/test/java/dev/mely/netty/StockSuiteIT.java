package dev.mely.netty;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Netty's whole socket suite on Netty's own group: what fails there is what the list says. */
@Tag("full")
class StockSuiteIT {
  @Test
  void noOtherTestFails() {
    StockSuite.assertFailuresAreThoseOnTheList(SuiteIo.whole());
  }
}
