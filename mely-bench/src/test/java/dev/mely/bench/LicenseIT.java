package dev.mely.bench;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The executable jar carries the license and the notice, with those of the libraries within. */
class LicenseIT {
  private static final Path JAR = Path.of("target", "benchmarks.jar");

  @ParameterizedTest
  @ValueSource(strings = {"LICENSE", "NOTICE"})
  void inTheExecutableJar(String name) throws IOException {
    String own = Files.readString(Path.of("..", name));
    String carried = entry("META-INF/" + name);
    assertTrue(carried.contains(own.strip()), carried);
    assertTrue(carried.length() > own.length(), carried);
  }

  private static String entry(String name) throws IOException {
    try (ZipFile zip = new ZipFile(JAR.toFile())) {
      return new String(
          zip.getInputStream(zip.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
