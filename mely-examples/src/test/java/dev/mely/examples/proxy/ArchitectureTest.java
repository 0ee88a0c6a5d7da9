package dev.mely.examples.proxy;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The rules of HTTP know nothing of events, and nothing here knows of Netty. */
class ArchitectureTest {
  private static final JavaClasses PROXY =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.mely.examples.proxy", "dev.mely.examples.http");

  @Test
  void theRulesKnowNothingOfEvents() {
    noClasses()
        .that()
        .haveNameMatching(
            ".*\\.(Target|Via|ProxyRequest|OriginResponse|CacheControl|Freshness|Vary"
                + "|StoredResponse|CacheRules|Replies)")
        .or()
        .resideInAPackage("dev.mely.examples.http")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("dev.mely", "dev.mely.nio", "java.nio.channels")
        .check(PROXY);
  }

  @Test
  void thereIsNoNetty() {
    noClasses().should().dependOnClassesThat().resideInAPackage("io.netty..").check(PROXY);
  }

  @Test
  void onlyThesePublicTypes() {
    classes()
        .that()
        .resideInAPackage("dev.mely.examples.proxy")
        .and()
        .arePublic()
        .should()
        .haveNameMatching(".*\\.Proxy(Command|Config|Server)")
        .check(PROXY);
  }
}
