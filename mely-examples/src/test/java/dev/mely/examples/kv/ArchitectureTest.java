package dev.mely.examples.kv;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The commands know nothing of events, and nothing here knows of Netty. */
class ArchitectureTest {
  private static final JavaClasses KV =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.mely.examples.kv");

  @Test
  void theCommandsKnowNothingOfEvents() {
    noClasses()
        .that()
        .haveNameMatching(
            ".*\\.((String|Key|Hash|Set|Sweep|Transaction|Topic|Server)Commands|Command|Call"
                + "|Dictionary|Entry|Text|Reply|RequestReader|Words|Glob|Numbers|Claims)")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.mely", "dev.mely.nio", "java.nio.channels")
        .check(KV);
  }

  @Test
  void thereIsNoNetty() {
    noClasses().should().dependOnClassesThat().resideInAPackage("io.netty..").check(KV);
  }

  @Test
  void onlyTheCommandIsPublic() {
    classes().that().arePublic().should().haveNameMatching(".*\\.(KvCommand|Fsync)").check(KV);
  }
}
