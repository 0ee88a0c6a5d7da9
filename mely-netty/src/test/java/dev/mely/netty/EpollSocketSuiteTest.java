package dev.mely.netty;

import java.util.List;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Netty's socket tests on epoll, with every activation on another core. */
@ParameterizedClass
@MethodSource("beds")
class EpollSocketSuiteTest extends InetSuite {
  EpollSocketSuiteTest(SuiteBed bed) {
    super(bed);
  }

  static List<SuiteBed> beds() {
    return List.of(new SuiteBed(SuiteIo.EPOLL, SuiteBed.Mode.MIGRATING));
  }
}
