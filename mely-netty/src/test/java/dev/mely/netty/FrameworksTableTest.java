package dev.mely.netty;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The table of frameworks in {@code docs/netty.md}: the build's versions, and lines of tests. */
class FrameworksTableTest {
  private static final Pattern ROW =
      Pattern.compile("^\\| ([^|]+) \\| ([\\d][^|]*) \\| ([^|]+) \\|.*\\|$", Pattern.MULTILINE);
  private static final Pattern PROPERTY = Pattern.compile("<([\\w-]+\\.\\w+)>([^<]+)</");
  private static final Pattern VERSION = Pattern.compile("\\d+(\\.\\d+)+");

  /** The properties of the parent's pom that have the versions of a row. */
  private static final Map<String, List<String>> VERSIONS =
      Map.ofEntries(
          entry("reactor-netty", List.of("reactor-netty.version")),
          entry("gRPC", List.of("grpc.version")),
          entry("Vert.x", List.of("vertx.version", "vertx.oldest")),
          entry("Micronaut", List.of("micronaut.version", "micronaut-5.version")),
          entry("Spring WebFlux", List.of("spring.version", "spring-boot.version")),
          entry("Armeria", List.of("armeria.version")),
          entry("Lettuce", List.of("lettuce.version")),
          entry("Redisson", List.of("redisson.version")),
          entry("R2DBC PostgreSQL", List.of("r2dbc-postgresql.version")),
          entry("AsyncHttpClient", List.of("async-http-client.version")),
          entry("AWS SDK", List.of("awssdk.version")));

  private final String section = section();

  @Test
  void eachVersionIsThatOfTheBuild() throws Exception {
    Map<String, String> build = properties();
    Map<String, List<String>> expected = new HashMap<>();
    VERSIONS.forEach((name, keys) -> expected.put(name, keys.stream().map(build::get).toList()));
    Map<String, List<String>> shown = new HashMap<>();
    for (MatchResult row : ROW.matcher(section).results().toList()) {
      shown.put(
          row.group(1).replaceAll("\\[(.*)]\\(.*\\)", "$1"),
          VERSION.matcher(row.group(2)).results().map(MatchResult::group).toList());
    }
    assertEquals(expected, shown);
    assertTrue(section.contains("agent (tested: " + build.get("opentelemetry-agent.version")));
    assertTrue(section.contains("Boot 4 (tested: " + build.get("spring-boot.version")));
  }

  @Test
  void eachLineStandsInATest() throws Exception {
    String tests;
    try (Stream<Path> files = Files.walk(Path.of("src", "frameworks"))) {
      tests =
          files
              .filter(file -> file.toString().endsWith("Test.java"))
              .map(FrameworksTableTest::read)
              .collect(Collectors.joining());
    }
    List<String> missing = new ArrayList<>();
    int lines = 0;
    for (MatchResult row : ROW.matcher(section).results().toList()) {
      String line = row.group(3).replace("`", "");
      lines += line.contains("(") ? 1 : 0;
      if (line.contains("(") && !tests.contains(line)) {
        missing.add(line);
      }
    }
    assertEquals(List.of(), missing);
    assertEquals(6, lines);
  }

  private static String section() {
    String guide = read(Path.of("../docs/netty.md"));
    int start = guide.indexOf("\n## Frameworks\n");
    return guide.substring(start, guide.indexOf("\n## ", start + 1));
  }

  /** Without what some versions end with. */
  private static Map<String, String> properties() {
    return PROPERTY
        .matcher(read(Path.of("../pom.xml")))
        .results()
        .collect(
            Collectors.toMap(
                property -> property.group(1),
                property -> property.group(2).replace(".RELEASE", ""),
                (first, second) -> first));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
