package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.File;
import java.lang.module.Configuration;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The module resolves with the libraries that it needs alone. */
class ModulePathTest {
  private static final String NEEDED =
      "netty-(common|buffer|transport|resolver)-\\d.*|jctools-core-.*|jspecify-.*|mely-core-.*";
  private static final String OPTIONAL =
      "micrometer-(core|commons|observation)-.*|blockhound-.*|affinity-.*|jna-\\d.*|slf4j-api-.*";
  private static final Set<String> MODULES =
      Set.of(
          "dev.mely",
          "dev.mely.netty",
          "io.netty.buffer",
          "io.netty.common",
          "io.netty.resolver",
          "io.netty.transport",
          "org.jctools.core",
          "org.jspecify");

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

  private static Set<String> names(Configuration modules) {
    return modules.modules().stream().map(ResolvedModule::name).collect(Collectors.toSet());
  }

  @Test
  void withoutOptionalLibraries() {
    assertEquals(MODULES, names(resolve(NEEDED)));
  }

  /** That they are on the path does not resolve them. */
  @Test
  void withOptionalLibrariesBesideIt() {
    Configuration modules = resolve(NEEDED + "|" + OPTIONAL);
    assertEquals(MODULES, names(modules));
    ModuleDescriptor module =
        modules.findModule("dev.mely.netty").orElseThrow().reference().descriptor();
    assertEquals(
        Set.of(
            "dev.mely.netty",
            "dev.mely.netty.grpc",
            "dev.mely.netty.metrics",
            "dev.mely.netty.monitor"),
        Set.copyOf(module.exports().stream().map(export -> export.source()).toList()));
    // It would not resolve where the library of the service is missing.
    assertEquals(Set.of(), module.provides());
  }
}
