package dev.mely.netty;

import java.util.List;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Netty's socket tests on NIO, with every activation on another core. */
@ParameterizedClass
@MethodSource("beds")
class NioSocketSuiteTest extends WholeInetSuite {
  NioSocketSuiteTest(SuiteBed bed) {
    super(bed);
  }

  static List<SuiteBed> beds() {
    return List.of(new SuiteBed(SuiteIo.NIO, SuiteBed.Mode.MIGRATING));
  }
}
