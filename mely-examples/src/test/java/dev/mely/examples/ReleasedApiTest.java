package dev.mely.examples;

import static java.util.stream.Collectors.toCollection;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The comparison with a released version leaves out what no module exports: nobody can call that,
 * so it may change. It keeps what one module exports to the other, for programs may take a newer
 * one of the two.
 */
class ReleasedApiTest {
  private static final Pattern LEFT_OUT = Pattern.compile("<exclude>(dev\\.mely\\.[\\w.]+)</");
  private static final Pattern EXPORTED = Pattern.compile("exports ([\\w.]+)");

  @Test
  void whatIsNotExportedIsNotCompared() throws IOException {
    Set<String> hidden = new TreeSet<>();
    for (String module : Set.of("mely-core", "mely-netty")) {
      Path sources = BuildFile.folder(module).resolve("src/main/java");
      Set<String> packages = packages(sources);
      Set<String> exported = names(EXPORTED, sources.resolve("module-info.java"));
      assertTrue(packages.containsAll(exported), exported::toString);
      packages.removeAll(exported);
      hidden.addAll(packages);
    }
    assertEquals(hidden, names(LEFT_OUT, BuildFile.ROOT.resolve("pom.xml")));
  }

  private static Set<String> packages(Path sources) throws IOException {
    try (Stream<Path> files = Files.walk(sources)) {
      return files
          .filter(file -> file.endsWith("package-info.java"))
          .map(file -> sources.relativize(file.getParent()).toString().replaceAll("[/\\\\]", "."))
          .collect(toCollection(TreeSet::new));
    }
  }

  private static Set<String> names(Pattern pattern, Path file) throws IOException {
    return pattern
        .matcher(Files.readString(file))
        .results()
        .map(match -> match.group(1))
        .collect(toCollection(TreeSet::new));
  }
}
