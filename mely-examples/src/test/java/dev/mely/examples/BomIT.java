package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The versions that a program takes over when it imports {@code mely-bom}. */
class BomIT {
  private static final String VERSION = System.getProperty("mely.version");

  @Test
  void managesThePublishedModulesAndNothingElse() throws Exception {
    Set<String> published =
        BuildFile.published().stream()
            .filter(module -> module.getPackaging().equals("jar"))
            .map(module -> "dev.mely:" + module.getArtifactId() + ":jar:" + VERSION)
            .collect(Collectors.toSet());
    assertEquals(
        Set.of("dev.mely:mely-core:jar:" + VERSION, "dev.mely:mely-netty:jar:" + VERSION),
        published);
    assertEquals(published, Resolved.managedBy("dev.mely:mely-bom:pom:" + VERSION));
  }
}
