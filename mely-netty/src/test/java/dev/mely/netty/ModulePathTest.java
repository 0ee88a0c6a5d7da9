package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The module resolves with the libraries that it needs alone. */
class ModulePathTest {
  private static final String NEEDED =
      "netty-(common|buffer|transport|resolver)-\\d.*|jctools-core-.*|slf4j-api-.*|affinity-.*"
          + "|jna-\\d.*|jspecify-.*|mely-core-.*";
  private static final String OPTIONAL = "micrometer-(core|commons|observation)-.*|blockhound-.*";

  private static Configuration resolve(String jars) {
    Pattern wanted = Pattern.compile("(" + jars + ")\\.jar|classes");
    Path[] path =
        List.of(System.getProperty("java.class.path").split(File.pathSeparator)).stream()
            .map(Path::of)
            .filter(entry -> wanted.matcher(entry.getFileName().toString()).matches())
            .toArray(Path[]::new);
    return Configuration.resolve(
        ModuleFinder.of(path),
        List.of(ModuleLayer.boot().configuration()),
        ModuleFinder.of(),
        Set.of("dev.mely.netty"));
  }

  @Test
  void withoutOptionalLibraries() {
    Configuration modules = resolve(NEEDED);
    assertTrue(modules.findModule("dev.mely").isPresent());
    assertTrue(modules.findModule("micrometer.core").isEmpty());
    assertTrue(modules.findModule("reactor.blockhound").isEmpty());
  }

  /** That they are on the path does not resolve them. */
  @Test
  void withOptionalLibrariesBesideIt() {
    Configuration modules = resolve(NEEDED + "|" + OPTIONAL);
    assertTrue(modules.findModule("dev.mely.netty").isPresent());
    assertEquals(
        Set.of("dev.mely.netty", "dev.mely.netty.grpc", "dev.mely.netty.metrics"),
        Set.copyOf(
            modules
                .findModule("dev.mely.netty")
                .orElseThrow()
                .reference()
                .descriptor()
                .exports()
                .stream()
                .map(export -> export.source())
                .toList()));
  }
}
