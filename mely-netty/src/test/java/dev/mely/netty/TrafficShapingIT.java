package dev.mely.netty;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.testsuite.transport.TestsuitePermutation.BootstrapComboFactory;
import io.netty.testsuite.transport.socket.TrafficShapingHandlerTest;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Netty's tests of traffic shaping, each on all transports: the class shuts down what it shares, so
 * it runs once in a virtual machine.
 */
@Tag("full")
class TrafficShapingIT extends TrafficShapingHandlerTest {
  private static final List<SuiteBed> BEDS = new ArrayList<>();

  static {
    BEDS.addAll(SuiteBed.all(SuiteBed.Mode.STEALING, false));
    BEDS.addAll(SuiteBed.all(SuiteBed.Mode.MIGRATING, false));
  }

  @Override
  protected List<BootstrapComboFactory<ServerBootstrap, Bootstrap>> newFactories() {
    return BEDS.stream().flatMap(bed -> bed.socket().stream()).toList();
  }

  @AfterAll
  static void shutDown() {
    BEDS.forEach(SuiteBed::close);
  }
}
