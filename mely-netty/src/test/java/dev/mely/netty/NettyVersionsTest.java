package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whether Netty is too old is said where the I/O handlers cannot be opened. */
class NettyVersionsTest {
  @ParameterizedTest
  @CsvSource({
    "4.2.7.Final, true",
    "4.2.12.Final, true",
    "4.1.130.Final, true",
    "4.2.13.Final, false",
    "4.2.18.Final, false",
    "4.2.14.Final-SNAPSHOT, false",
    "4.3.0.Alpha1, false",
    "5.0.0.Alpha1, false",
    "'', false",
    "unknown, false"
  })
  void oldOnes(String version, boolean old) {
    assertEquals(old, NettyVersions.isOld(version));
  }

  /** The build says on which one the tests run. */
  @Test
  void theOldestIsThatOfTheBuild() throws IOException {
    String build = Files.readString(Path.of("..", "pom.xml"));
    String oldest = "<netty.oldest>" + NettyVersions.OLDEST + ".Final</netty.oldest>";
    assertTrue(build.contains(oldest), oldest);
  }

  @Test
  void thisOneIsNotOld() {
    Exception failure = new Exception();
    NettyVersions.explain(failure);
    assertEquals(0, failure.getSuppressed().length);
  }
}
