package dev.mely.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.apache.maven.model.Developer;
import org.apache.maven.model.License;
import org.apache.maven.model.Model;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A release, up to its upload: what {@code mvn -Prelease} has made of the published modules is
 * complete, and made again elsewhere, in another time zone and language, it has the same bytes.
 */
class ReleaseIT {
  private static final String VERSION = System.getProperty("mely.version");
  private static final String ADDRESS = "https://github.com/mely-project/mely";
  private static final Set<String> OF_A_JAR =
      Set.of(".jar", "-sources.jar", "-javadoc.jar", ".pom", "-cyclonedx.json", "-cyclonedx.xml");

  @TempDir private static Path elsewhere;

  /** What the second build would upload: for each module, its files by the end of their names. */
  private static final Map<String, Map<String, Path>> DEPLOYED = new TreeMap<>();

  @BeforeAll
  static void buildAgain() throws Exception {
    Path copy = elsewhere.resolve("a folder/with another name");
    copySources(copy);
    deploy(copy);
    try (Stream<Path> files = Files.walk(copy.resolve("target/staging"))) {
      files
          .filter(Files::isRegularFile)
          .filter(file -> !file.getFileName().toString().startsWith("maven-metadata"))
          .forEach(ReleaseIT::addDeployed);
    }
  }

  private static void copySources(Path copy) throws IOException {
    Set<String> leftOut = Set.of("target", ".git", "docs", ".cifuzz-corpus");
    Files.walkFileTree(
        BuildFile.ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            boolean left = leftOut.contains(folder.getFileName().toString());
            if (left && !folder.startsWith(BuildFile.ROOT.resolve("mely-core/src"))) {
              return FileVisitResult.SKIP_SUBTREE;
            }
            // With their rights, which get into the jars.
            Path made = Files.createDirectories(copy.resolve(BuildFile.ROOT.relativize(folder)));
            Files.setPosixFilePermissions(made, Files.getPosixFilePermissions(folder));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Path target = copy.resolve(BuildFile.ROOT.relativize(file));
            Files.copy(file, target, StandardCopyOption.COPY_ATTRIBUTES);
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static void deploy(Path copy) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("maven.home"), "bin", "mvn").toString(),
                "-B",
                "-Prelease",
                "-Dmaven.repo.local=" + Resolved.localRepository(),
                "-Dmaven.test.skip",
                "-Dspotless.check.skip",
                "-pl=mely-core,mely-netty",
                "-am",
                "deploy"));
    Path log = elsewhere.resolve("log");
    ProcessBuilder build =
        new ProcessBuilder(command)
            .directory(copy.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    build.environment().put("JAVA_HOME", System.getProperty("java.home"));
    String foreign = " -Duser.timezone=Asia/Kolkata -Duser.language=ja";
    build.environment().merge("JAVA_TOOL_OPTIONS", foreign, String::concat);
    Process building = build.start();
    try {
      assertTrue(building.waitFor(20, TimeUnit.MINUTES), "the second build hangs");
    } finally {
      building.destroyForcibly();
    }
    assertEquals(0, building.exitValue(), Files.readString(log));
  }

  /** A snapshot is named by its time. */
  private static void addDeployed(Path file) {
    String module = file.getParent().getParent().getFileName().toString();
    String end =
        file.getFileName()
            .toString()
            .substring((module + "-" + VERSION.replace("-SNAPSHOT", "")).length())
            .replaceFirst("^-\\d{8}\\.\\d{6}-\\d+", "");
    DEPLOYED.computeIfAbsent(module, name -> new TreeMap<>()).put(end, file);
  }

  /** Each file, its checksums, and nothing else. */
  @Test
  void eachPublishedModuleIsComplete() throws Exception {
    Map<String, Set<String>> expected = new TreeMap<>();
    for (Model module : BuildFile.published()) {
      Set<String> files = new TreeSet<>();
      for (String end :
          switch (module.getArtifactId()) {
            case "mely-bom" -> Set.of(".pom");
            case "mely-parent" -> Set.of(".pom", "-cyclonedx.json", "-cyclonedx.xml");
            case "mely-netty" -> withDoctor();
            default -> OF_A_JAR;
          }) {
        files.addAll(Set.of(end, end + ".md5", end + ".sha1"));
      }
      expected.put(module.getArtifactId(), files);
    }
    assertEquals(
        expected,
        DEPLOYED.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, module -> module.getValue().keySet())));
  }

  private static Set<String> withDoctor() {
    Set<String> all = new TreeSet<>(OF_A_JAR);
    all.add("-doctor.jar");
    return all;
  }

  @Test
  void twoBuildsMakeTheSameBytes() throws IOException {
    int compared = 0;
    List<String> different = new ArrayList<>();
    for (String module : DEPLOYED.keySet()) {
      for (Map.Entry<String, Path> file : DEPLOYED.get(module).entrySet()) {
        if (!file.getKey().endsWith(".md5") && !file.getKey().endsWith(".sha1")) {
          compared++;
          if (Files.mismatch(made(module, file.getKey()), file.getValue()) != -1) {
            different.add(module + file.getKey());
          }
        }
      }
    }
    assertEquals(List.of(), different);
    assertTrue(compared >= 2 * OF_A_JAR.size(), compared + " files");
  }

  /** What this build has made, before it is deployed. */
  private static Path made(String module, String end) {
    Path folder = BuildFile.folder(module);
    return switch (end) {
      case ".pom" -> folder.resolve("pom.xml");
      case "-cyclonedx.json" -> folder.resolve("target/bom.json");
      case "-cyclonedx.xml" -> folder.resolve("target/bom.xml");
      default -> folder.resolve("target").resolve(module + "-" + VERSION + end);
    };
  }

  /** In each of them, not in what is above it alone: Maven Central looks at the whole. */
  @Test
  void eachPomSaysWhatMavenCentralAsksFor() throws Exception {
    for (Model module : BuildFile.published()) {
      String name = module.getArtifactId();
      assertFalse(module.getName().isBlank(), name);
      assertFalse(module.getDescription().isBlank(), name);
      assertEquals(ADDRESS, module.getUrl(), name);
      assertEquals(
          List.of("Apache-2.0"), module.getLicenses().stream().map(License::getName).toList());
      assertEquals(
          List.of("Mely contributors"),
          module.getDevelopers().stream().map(Developer::getName).toList());
      assertEquals("scm:git:" + ADDRESS + ".git", module.getScm().getConnection(), name);
      assertTrue(module.getScm().getDeveloperConnection().endsWith("/mely-project/mely.git"), name);
      assertEquals(ADDRESS, module.getScm().getUrl(), name);
      assertEquals(ADDRESS + "/issues", module.getIssueManagement().getUrl(), name);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty"})
  void sourcesAndPagesCarryTheLicense(String module) throws IOException {
    LicenseIT.assertCarried(made(module, "-sources.jar"));
    LicenseIT.assertCarried(made(module, "-javadoc.jar"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty"})
  void sourcesAreAllThere(String module) throws IOException {
    Path sources = BuildFile.folder(module).resolve("src/main/java");
    Set<String> names;
    try (Stream<Path> files = Files.walk(sources)) {
      names =
          files
              .filter(Files::isRegularFile)
              .map(file -> sources.relativize(file).toString().replace('\\', '/'))
              .collect(Collectors.toSet());
    }
    assertTrue(names.size() > 20, () -> names.size() + " sources");
    names.removeAll(entries(made(module, "-sources.jar")));
    assertEquals(Set.of(), names);
  }

  /** What is in it: {@code NativeImageTest} of mely-netty. */
  @ParameterizedTest
  @ValueSource(strings = {"mely-core", "mely-netty"})
  void jarsCarryWhatNativeImageReads(String module) throws IOException {
    String folder = "META-INF/native-image/dev.mely/" + module + "/";
    Set<String> names = entries(made(module, ".jar"));
    assertTrue(names.contains(folder + "reflect-config.json"), names::toString);
    assertTrue(names.contains(folder + "proxy-config.json"), names::toString);
  }

  @Test
  void pagesDescribeWhatUsersCall() throws IOException {
    assertTrue(entries(made("mely-core", "-javadoc.jar")).contains("dev.mely/dev/mely/Mely.html"));
    assertTrue(
        entries(made("mely-netty", "-javadoc.jar"))
            .contains("dev.mely.netty/dev/mely/netty/MelyEventLoopGroup.html"));
  }

  private static Set<String> entries(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      return zip.stream().map(Object::toString).collect(Collectors.toSet());
    }
  }

  /** With those that they need in turn, and without those of tests. */
  @Test
  void billsOfMaterialsNameTheLibraries() throws IOException {
    Set<String> core = components("mely-core");
    assertTrue(core.containsAll(Set.of("jctools-core", "affinity", "jspecify")), core::toString);
    assertFalse(core.contains("netty-common") || core.contains("lincheck"), core::toString);
    Set<String> netty = components("mely-netty");
    assertTrue(
        netty.containsAll(Set.of("mely-core", "jctools-core", "netty-transport")), netty::toString);
    assertFalse(netty.contains("junit-jupiter"), netty::toString);
  }

  private static Set<String> components(String module) throws IOException {
    try (Reader json = Files.newBufferedReader(made(module, "-cyclonedx.json"))) {
      Set<String> names = new TreeSet<>();
      for (JsonElement component :
          JsonParser.parseReader(json).getAsJsonObject().getAsJsonArray("components")) {
        names.add(component.getAsJsonObject().get("name").getAsString());
      }
      return names;
    }
  }
}
