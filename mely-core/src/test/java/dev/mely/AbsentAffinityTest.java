package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.pinning.Unpinned;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library that pins is needed where a program pins, and nowhere else (requirement B1). */
@Timeout(300)
class AbsentAffinityTest {
  /** Prints what comes of a number of cores; 0: the default, without pinning. */
  public static final class Program {
    private Program() {}

    public static void main(String[] args) {
      int cores = Integer.parseInt(args[0]);
      try (Mely mely = Mely.builder().cores(cores).pinned(cores > 0).build()) {
        System.out.println(Unpinned.call(() -> mely.inspect().cores() > 0 ? "done" : "none"));
      } catch (IllegalStateException refused) {
        System.out.println(refused.getMessage());
      }
    }
  }

  /** JNA and SLF4J as well: the library does not work without them. */
  @ParameterizedTest
  @ValueSource(strings = {"affinity-\\d.*", "jna-\\d.*", "slf4j-api-.*"})
  void pinningWithoutALibraryIsRefused(String absent) throws Exception {
    Predicate<String> present = Pattern.compile(absent + "\\.jar").asMatchPredicate().negate();
    String path =
        Stream.of(Offspring.classPath().split(File.pathSeparator))
            .filter(entry -> present.test(Path.of(entry).getFileName().toString()))
            .collect(Collectors.joining(File.pathSeparator));
    assertNotEquals(Offspring.classPath(), path);
    assertEquals(sentence(), run(path, 1));
    assertEquals(
        sentence(),
        run(path, 4096),
        "the library is missed even where there are too many workers to pin");
    assertEquals("done", run(path, 0));
  }

  /** The coordinates that a new user copies are those of this build. */
  @Test
  void theGuideNamesTheSameArtifacts() throws Exception {
    String parent = Files.readString(Path.of("../pom.xml"));
    String guide = Files.readString(Path.of("../docs/core.md"));
    for (String artifact :
        List.of(
            "net.openhft:affinity:" + version(parent, "affinity"),
            "net.java.dev.jna:jna:" + version(parent, "jna"),
            "org.slf4j:slf4j-api:" + version(parent, "slf4j"))) {
      assertTrue(guide.contains("`" + artifact + "`"), artifact);
    }
  }

  @Test
  void withoutPinningNoneOfThemIsLoaded() throws Exception {
    String loaded = run(Offspring.classPath(), 0, "-verbose:class");
    assertTrue(loaded.contains("dev.mely.topology.Pinning "), loaded);
    List<String> theirs =
        loaded
            .lines()
            .filter(line -> line.matches(".*(net\\.openhft|com\\.sun\\.jna|org\\.slf4j)\\..*"))
            .toList();
    assertEquals(List.of(), theirs);
  }

  private static String run(String classPath, int cores, String... options) throws Exception {
    return Offspring.run(
        Stream.of(
                Stream.of(Offspring.java(), "-XX:TieredStopAtLevel=1"),
                Stream.of(options),
                Stream.of("-cp", classPath, Program.class.getName(), Integer.toString(cores)))
            .flatMap(word -> word)
            .toArray(String[]::new));
  }

  /** With the versions of this build. */
  private static String sentence() throws Exception {
    String parent = Files.readString(Path.of("../pom.xml"));
    return "Pinning needs OpenHFT Affinity, which is missing: depend on net.openhft:affinity:"
        + version(parent, "affinity")
        + " and net.java.dev.jna:jna:"
        + version(parent, "jna")
        + ", and in a module require affinity and org.slf4j";
  }

  private static String version(String parent, String library) {
    Matcher version = Pattern.compile("<" + library + "\\.version>(.*?)</").matcher(parent);
    assertTrue(version.find(), library);
    return version.group(1);
  }
}
