package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each jar carries the license and the notice. */
class LicenseIT {
  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty", "mely-examples"})
  void inThePlainJars(String module) throws IOException {
    String jar = module + "-" + System.getProperty("mely.version") + ".jar";
    assertCarried(BuildFile.folder(module).resolve("target").resolve(jar));
  }

  static void assertCarried(Path jar) throws IOException {
    assertEquals(text("LICENSE"), entry(jar, "META-INF/LICENSE"), jar::toString);
    assertEquals(text("NOTICE"), entry(jar, "META-INF/NOTICE"), jar::toString);
  }

  /** With those of the libraries within, where they bring some. */
  @Test
  void inTheExecutableJar() throws IOException {
    Path jar = Path.of("target", "mely-examples.jar");
    String license = entry(jar, "META-INF/LICENSE");
    assertTrue(license.startsWith(text("LICENSE")), license);
    assertTrue(license.contains("Java Native Access"), license);
    String others = entry(jar, "META-INF/LICENSE.txt");
    assertTrue(others.contains("QOS.ch"), others);
    String notice = entry(jar, "META-INF/NOTICE");
    assertTrue(notice.contains("Mely contributors"), notice);
  }

  @Test
  void inTheDoctorsJar() throws IOException {
    String name = "mely-netty-" + System.getProperty("mely.version") + "-doctor.jar";
    Path jar = BuildFile.folder("mely-netty").resolve("target").resolve(name);
    String license = entry(jar, "META-INF/LICENSE");
    assertTrue(license.startsWith(text("LICENSE")), license);
    assertTrue(entry(jar, "META-INF/licenses/ASM").contains("France Telecom"), name);
    String notice = entry(jar, "META-INF/NOTICE");
    assertTrue(notice.contains("Mely contributors"), notice);
    assertTrue(notice.contains("Rafael Winterhalter"), notice);
  }

  private static String text(String name) throws IOException {
    return Files.readString(BuildFile.ROOT.resolve(name));
  }

  private static String entry(Path jar, String name) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return new String(
          zip.getInputStream(zip.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
