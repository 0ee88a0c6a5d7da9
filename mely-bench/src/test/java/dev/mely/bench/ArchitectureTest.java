package dev.mely.bench;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Of two kinds of benchmarks one may use the other, and not the reverse. */
class ArchitectureTest {
  @Test
  void packagesHaveOneDirection() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.mely.bench");
    slices().matching("dev.mely.bench.(*)..").should().beFreeOfCycles().check(all);
  }
}
