package dev.mely.examples;

import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Of two examples one may use the other, and not the reverse. */
class ArchitectureTest {
  @Test
  void examplesHaveOneDirection() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.mely.examples");
    slices().matching("dev.mely.examples.(*)..").should().beFreeOfCycles().check(all);
  }
}
