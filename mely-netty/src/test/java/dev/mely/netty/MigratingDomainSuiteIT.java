package dev.mely.netty;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Netty's tests of Unix domain sockets, with every activation on another core. */
@Tag("full")
@ParameterizedClass
@MethodSource("beds")
class MigratingDomainSuiteIT extends DomainSuite {
  MigratingDomainSuiteIT(SuiteBed bed) {
    super(bed);
  }

  static List<SuiteBed> beds() {
    return SuiteBed.all(SuiteBed.Mode.MIGRATING, true);
  }
}
