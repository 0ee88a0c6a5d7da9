package dev.mely;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasModifiers.Predicates.modifier;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaFieldAccess;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasOwner;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mely.kit.Cycles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules that the compiler does not check. */
class ArchitectureTest {
  private static final String CORE = "dev.mely";

  /** A class whose coverage counts, or that mutations are made in or judged by. */
  private static final Pattern NAMED_BY_THE_BUILD =
      Pattern.compile("<(?:include|param)>(dev[./]mely[./][\\w./]+?)\\*?(?:\\.class)?</");

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
  void theseAreLeaves() {
    for (String leaf :
        new String[] {
          "dev.mely.topology",
          "dev.mely.annotation",
          "dev.mely.flight",
          "dev.mely.report",
          "dev.mely.spi"
        }) {
      noClasses()
          .that()
          .resideInAPackage(leaf)
          .should()
          .dependOnClassesThat(
              resideInAPackage("dev.mely..").and(DescribedPredicate.not(resideInAPackage(leaf))))
          .check(MAIN);
    }
  }

  /** What users call of the package {@code topology}, which they do not see. */
  @Test
  void pinningKnowsTopologyAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.mely.pinning")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.mely..")
                .and(
                    DescribedPredicate.not(
                        resideInAnyPackage("dev.mely.pinning", "dev.mely.topology"))))
        .check(MAIN);
  }

  /** What is recorded of stages, and planned for them, stands beside the runtime. */
  @Test
  void stagesKnowAnnotationsAlone() {
    assertTrue(MAIN.contain("dev.mely.stage.recorder.StageRecorder"));
    noClasses()
        .that()
        .resideInAPackage("dev.mely.stage..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.mely..")
                .and(
                    DescribedPredicate.not(
                        resideInAnyPackage("dev.mely.stage..", "dev.mely.annotation"))))
        .check(MAIN);
  }

  @Test
  void noCycleOfManyClasses() {
    Set<String> largest = new Cycles(MAIN, CORE).largest();
    assertTrue(largest.size() <= 3, largest::toString);
  }

  /** What a build file asks of classes by name, coverage and mutations, it asks of these. */
  @Test
  void theClassesThatTheBuildNamesExist() throws IOException {
    List<String> missing = new ArrayList<>();
    int named = 0;
    for (Path file : List.of(Path.of("pom.xml"), Path.of("..", "pom.xml"))) {
      Matcher name = NAMED_BY_THE_BUILD.matcher(Files.readString(file));
      while (name.find()) {
        named++;
        String source = name.group(1).replace('.', '/') + ".java";
        if (Stream.of("main", "test")
            .noneMatch(t -> Files.exists(Path.of("src", t, "java", source)))) {
          missing.add(name.group(1));
        }
      }
    }
    assertTrue(named > 50, named + " classes named");
    assertEquals(List.of(), missing);
  }

  /** Each runtime has settings of its own, which never change. */
  @Test
  void onlyTheBuilderWritesSettings() {
    noClasses()
        .that()
        .doNotBelongToAnyOf(Settings.class, MelyBuilder.class, CpuLayout.class)
        .should()
        .setFieldWhere(
            JavaFieldAccess.Predicates.target(
                HasOwner.Predicates.With.owner(equivalentTo(Settings.class))))
        .check(MAIN);
  }

  /** The sources of events are built upon the runtime, which does not know them. */
  @Test
  void nioSitsOnTopOfTheRuntime() {
    assertTrue(MAIN.contain("dev.mely.nio.Nio"));
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.nio")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.mely.nio")
        .check(MAIN);
    classes()
        .that()
        .resideInAPackage("dev.mely.nio")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage("dev.mely.nio", "dev.mely.spi")
                .or(resideInAPackage(CORE).and(modifier(JavaModifier.PUBLIC)))
                .or(resideInAnyPackage("dev.mely.report", "dev.mely.pinning"))
                .or(resideInAnyPackage("java..", "org.jspecify..")))
        .check(MAIN);
  }

  /** Pools ask the topology for the size of a cache, and nobody else for anything. */
  @Test
  void poolsKnowTopologyAndPlansAlone() {
    assertTrue(MAIN.contain("dev.mely.pool.Pool"));
    classes()
        .that()
        .resideInAPackage("dev.mely.pool")
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(
                "dev.mely.pool", "dev.mely.stage", "dev.mely.topology", "java..", "org.jspecify.."))
        .check(MAIN);
  }

  /** One way in, and what it hands out. */
  @Test
  void nioHasFourPublicTypes() {
    assertEquals(Set.of("Nio", "Operation", "Output", "Source"), publicTypes("dev.mely.nio"));
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

  /**
   * The allowed waits: shutdown and a producer that finds no room, each on the thread of the caller
   * that called it, and the watchdog on its own.
   */
  @Test
  void noWorkerWaits() {
    Set<String> waits =
        MAIN.stream()
            .filter(c -> c.getPackageName().equals(CORE))
            .flatMap(c -> c.getAccessesFromSelf().stream())
            .filter(ArchitectureTest::waits)
            .map(a -> a.getOriginOwner().getSimpleName() + " calls " + a.getTarget().getName())
            .collect(Collectors.toCollection(TreeSet::new));
    assertEquals(
        Set.of(
            "Overload calls park",
            "Shutdown calls join",
            "Shutdown calls sleep",
            "BlockedHandlers calls wait"),
        waits);
  }

  private static boolean waits(JavaAccess<?> access) {
    return (access.getTargetOwner().getPackageName().startsWith("java.")
            || access.getTargetOwner().isEquivalentTo(Host.Parker.class))
        && !access.getTargetOwner().isEquivalentTo(String.class)
        && Set.of("sleep", "join", "wait", "await", "acquire", "park", "take")
            .contains(access.getTarget().getName())
        && !access.getOriginOwner().getName().startsWith(SystemHost.class.getName());
  }

  /**
   * C2 inlines whatever a loop calls: what an idle worker does must not lead to a busy one's
   * states, or their code would be compiled, and thrown away, twice.
   */
  @Test
  void anIdleWorkersLoopKnowsNoBusyState() {
    Set<String> reached = new TreeSet<>();
    reach("idle", reached);
    assertTrue(
        reached.containsAll(Set.of("idleStep", "poll", "search", "wake")), reached::toString);
    for (String busy : Set.of("step", "pick", "runEvents", "runOne", "finish")) {
      assertTrue(!reached.contains(busy), busy);
    }
  }

  /** What a method of the worker calls there, and what that calls. */
  private static void reach(String method, Set<String> reached) {
    if (reached.add(method)) {
      MAIN.get(Worker.class).getMethods().stream()
          .filter(m -> m.getName().equals(method))
          .flatMap(m -> m.getMethodCallsFromSelf().stream())
          .filter(call -> call.getTargetOwner().isEquivalentTo(Worker.class))
          .forEach(call -> reach(call.getTarget().getName(), reached));
    }
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

  /** Both modules are optional at run time. */
  @Test
  void onlyTheirPackagesNeedManagementAndFlightRecorder() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.flight")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("jdk.jfr..")
        .check(MAIN);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.jmx")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("javax.management..", "java.lang.management..", "dev.mely.jmx..")
        .check(MAIN);
  }

  private static Set<String> publicTypes(String inPackage) {
    return MAIN.stream()
        .filter(c -> c.getPackageName().equals(inPackage) && c.isTopLevelClass())
        .filter(c -> c.getModifiers().contains(JavaModifier.PUBLIC))
        .map(JavaClass::getSimpleName)
        .collect(Collectors.toCollection(TreeSet::new));
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
        .and(DescribedPredicate.not(belongToAnyOf(Color.class))) // it is sealed
        .should()
        .haveModifier(JavaModifier.FINAL)
        .orShould()
        .haveModifier(JavaModifier.ABSTRACT)
        .check(MAIN);
    assertTrue(Color.class.isSealed());
  }
}
