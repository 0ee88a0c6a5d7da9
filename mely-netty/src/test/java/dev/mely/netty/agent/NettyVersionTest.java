package dev.mely.netty.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which versions are enough. */
class NettyVersionTest {
  @ParameterizedTest
  @CsvSource({
    "4.1.133.Final, false",
    "4.2.9.Final, false",
    "4.2.12.Final, false",
    "4.2.13.Final, true",
    "4.2.18.Final, true",
    "4.2.100.Final-SNAPSHOT, true",
    "4.3.0.Final, true",
    "5.0.0.Alpha5, true",
    "unknown, false"
  })
  void isEnough(String version, boolean enough) {
    assertEquals(enough, NettyVersion.isEnough(version));
  }
}
