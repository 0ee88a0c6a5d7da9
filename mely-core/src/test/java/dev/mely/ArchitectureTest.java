package dev.mely;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Rules that the compiler does not check. */
class ArchitectureTest {
  private static final String CORE = "dev.mely";

  private static final JavaClasses MAIN =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages(CORE);

  @Test
  void theClassesAreFound() {
    assertTrue(MAIN.contain(Mely.class));
    assertTrue(!MAIN.contain(ArchitectureTest.class));
  }

  @Test
  void topologyAndAnnotationsAreLeaves() {
    for (String leaf : new String[] {"dev.mely.topology", "dev.mely.annotation"}) {
      noClasses()
          .that()
          .resideInAPackage(leaf)
          .should()
          .dependOnClassesThat(
              resideInAPackage("dev.mely..").and(DescribedPredicate.not(resideInAPackage(leaf))))
          .check(MAIN);
    }
  }

  /** All of that comes through {@link Host}, or the deterministic driver would not be one. */
  @Test
  void timeParkingAndRandomnessComeThroughTheHost() {
    noClasses()
        .that()
        .resideInAPackage(CORE)
        .and(DescribedPredicate.not(belongToAnyOf(SystemHost.class)))
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(LockSupport.class, ThreadLocalRandom.class)
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.util.Random")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("java.time.Instant")
        .check(MAIN);
  }

  /** The one allowed wait: shutdown, on the thread of whoever called it. */
  @Test
  void nobodyWaitsButShutdown() {
    Set<String> waits =
        MAIN.stream()
            .filter(c -> c.getPackageName().equals(CORE))
            .flatMap(c -> c.getAccessesFromSelf().stream())
            .filter(ArchitectureTest::waits)
            .map(a -> a.getOriginOwner().getSimpleName() + " calls " + a.getTarget().getName())
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(Set.of("Shutdown calls join", "Shutdown calls sleep"), waits);
  }

  private static boolean waits(JavaAccess<?> access) {
    return access.getTargetOwner().getPackageName().startsWith("java.")
        && !access.getTargetOwner().isEquivalentTo(String.class)
        && Set.of("sleep", "join", "wait", "await", "acquire", "park", "take")
            .contains(access.getTarget().getName())
        && !access.getOriginOwner().getName().startsWith(SystemHost.class.getName());
  }

  @Test
  void noUnsafe() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("sun.misc.Unsafe")
        .orShould()
        .dependOnClassesThat()
        .resideInAnyPackage("jdk.internal..", "org.jctools.util..")
        .check(MAIN);
  }

  @Test
  void knowsNothingOfNetty() {
    noClasses().should().dependOnClassesThat().resideInAPackage("io.netty..").check(MAIN);
  }

  @Test
  void fewerThanADozenPublicTypes() {
    Set<String> types =
        MAIN.stream()
            .filter(c -> c.getPackageName().equals(CORE) && c.isTopLevelClass())
            .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
            .map(JavaClass::getSimpleName)
            .collect(Collectors.toCollection(TreeSet::new));
    assertTrue(types.size() < 12, types::toString);
    assertTrue(types.contains("Mely"), types::toString);
  }

  @Test
  void publicClassesAreNotMeantToBeExtendedByAccident() {
    classes()
        .that()
        .resideInAPackage(CORE)
        .and()
        .arePublic()
        .and()
        .areNotInterfaces()
        .should()
        .haveModifier(JavaModifier.FINAL)
        .orShould()
        .haveModifier(JavaModifier.ABSTRACT)
        .check(MAIN);
  }
}
