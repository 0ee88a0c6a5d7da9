package dev.mely.examples.sws;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * {@link HostileInput} guided by coverage, in the nightly build, which sets {@code JAZZER_FUZZ}.
 * Without it, the seeds alone are tried.
 */
class HostileInputFuzzTest {
  static Stream<byte[]> seeds() {
    return HostileInputTest.seeds().stream();
  }

  @MethodSource("seeds")
  @FuzzTest(maxDuration = "10m")
  void fuzz(byte[] input) {
    HostileInput.check(input);
  }
}
