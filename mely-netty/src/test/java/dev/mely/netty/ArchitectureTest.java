package dev.mely.netty;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

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
  void onlyThreePublicTypes() {
    classes()
        .that()
        .arePublic()
        .should()
        .haveNameMatching("dev\\.mely\\.netty\\.(MelyEventLoopGroup(Builder)?|ColorAssigner)")
        .check(module);
  }

  /**
   * The epoll classes are an optional dependency: whoever touches them must expect their absence.
   */
  @Test
  void onlyTwoClassesNeedEpoll() {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.mely\\.netty\\.Epoll(Transport|Registration).*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.netty.channel.epoll..")
        .check(module);
  }
}
