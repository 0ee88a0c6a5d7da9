package dev.mely.netty;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Netty's socket tests on every transport, with stealing. */
@Tag("full")
@ParameterizedClass
@MethodSource("beds")
class StealingSocketSuiteIT extends WholeInetSuite {
  StealingSocketSuiteIT(SuiteBed bed) {
    super(bed);
  }

  static List<SuiteBed> beds() {
    return SuiteBed.all(SuiteBed.Mode.STEALING, false);
  }
}
