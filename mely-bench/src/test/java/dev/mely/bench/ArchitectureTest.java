package dev.mely.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.PrintStream;
import java.io.PrintWriter;
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

  /**
   * A Turkish locale has another lower case of I, others have commas and digits of their own: what
   * people and programs read is the same everywhere, in all modules.
   */
  @Test
  void textDoesNotDependOnTheLocale() {
    JavaClasses all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.mely");
    noClasses()
        .should()
        .callMethod(String.class, "toLowerCase")
        .orShould()
        .callMethod(String.class, "toUpperCase")
        .orShould()
        .callMethod(String.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(String.class, "formatted", Object[].class)
        .orShould()
        .callMethod(PrintStream.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(PrintWriter.class, "printf", String.class, Object[].class)
        .orShould()
        .callMethod(PrintStream.class, "format", String.class, Object[].class)
        .orShould()
        .callMethod(PrintWriter.class, "format", String.class, Object[].class)
        .check(all);
  }
}
