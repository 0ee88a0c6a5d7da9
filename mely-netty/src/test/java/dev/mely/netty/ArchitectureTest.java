package dev.mely.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What this module may rely on, and what may rely on it. */
class ArchitectureTest {
  private final JavaClasses module =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.mely.netty");

  @Test
  void nettysInternalsAreNotUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty.util.internal..", "io.netty..internal..", "sun..", "jdk..")
        .check(module);
  }

  @Test
  void onlyThesePublicTypes() {
    classes()
        .that()
        .arePublic()
        .should()
        .haveNameMatching(
            "dev\\.mely\\.netty\\.(MelyEventLoopGroup(Builder)?|ColorAssigner|ColoredInitializer|blocking\\.(BlockHoundSupport|WorkerThreads)|metrics\\.MelyMetrics)")
        .check(module);
  }

  /** Netty's packages are Netty's: no class of ours sits there to reach what is not public. */
  @Test
  void everythingIsInOurOwnPackage() throws Exception {
    try (Stream<Path> files = Files.walk(Path.of("target", "classes"))) {
      assertEquals(
          List.of(),
          files
              .map(file -> Path.of("target", "classes").relativize(file).toString())
              .filter(file -> file.endsWith(".class") && !file.equals("module-info.class"))
              .filter(file -> !file.startsWith("dev/mely/netty/"))
              .toList());
    }
  }

  /**
   * The classes of native transports are optional dependencies: whoever touches them must expect
   * their absence.
   */
  @ParameterizedTest
  @CsvSource({
    "io.netty.channel.epoll.., Epoll(Transport|Registration|Natives).*",
    "io.netty.channel.uring.., IoUring(Registration|Natives)",
    "io.netty.channel.kqueue.., KQueueNatives"
  })
  void onlyTheseNeedNativeTransports(String packages, String names) {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.mely\\.netty\\." + names)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages)
        .check(module);
  }

  /** Micrometer and BlockHound are optional, too. */
  @Test
  void onlyTheirPackagesNeedMicrometerAndBlockHound() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.metrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "dev.mely.netty.metrics..")
        .check(module);
    noClasses()
        .that()
        .haveNameNotMatching(".*BlockHoundSupport")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("reactor..")
        .check(module);
  }
}
