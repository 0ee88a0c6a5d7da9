package dev.mely.netty;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.mely.kit.Cycles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What this module may rely on, and what may rely on it. */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.mely.netty");

  @Test
  void nettysInternalsAreNotUsed() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty.util.internal..", "io.netty..internal..", "sun..", "jdk..")
        .check(MODULE);
  }

  @Test
  void onlyThesePublicTypes() {
    classes()
        .that()
        .arePublic()
        .and()
        .resideOutsideOfPackage("dev.mely.netty.memory")
        .should()
        .haveNameMatching(
            "dev\\.mely\\.netty\\.(MelyEventLoopGroup(Builder)?|ColorAssigner|ColoredInitializer|OffloadHandler(\\$MessageHandler)?|KeyedHandler|StreamInitializer|StingyAllocator(\\$Core)?|agent\\.(MelyAgent|GroupBuilder|GroupTransformer)|blocking\\.(BlockHoundSupport|WorkerThreads)|doctor\\.(DoctorAgent|DoctorCommand|Hooks)|grpc\\.CallColors|metrics\\.MelyMetrics|monitor\\.MelyMonitor|sharing\\.(Sharing|Span)|micronaut\\.MicronautSupport|vertx\\.VertxSupport)")
        .check(MODULE);
  }

  /** Not exported: public for the event loops alone. */
  @Test
  void onlyTheseTypesOfMemoryAreSeenOutside() {
    classes()
        .that()
        .arePublic()
        .and()
        .resideInAPackage("dev.mely.netty.memory")
        .should()
        .haveNameMatching(
            "dev\\.mely\\.netty\\.memory\\.(Slabs|CoreMemory|WorkingSet|ReadQueue(\\$Waiter)?)")
        .check(MODULE);
  }

  /** Classes that depend on each other can only be understood together: they should be few. */
  @Test
  void theLargestCycleOfClassesIsSmall() {
    Cycles cycles = new Cycles(MODULE, "dev.mely.netty");
    assertTrue(cycles.classes().size() > 40, () -> "imported: " + cycles.classes());
    assertEquals(
        Set.of("ColorTasks", "GroupState", "LoopTimer", "TailTaskQueue", "TaskHandler"),
        cycles.largest());
    assertEquals(
        Set.of("CoreMemory", "Slabs", "StingyBuf"),
        new Cycles(MODULE, "dev.mely.netty.memory").largest());
  }

  @Test
  void cyclesAreSeen() {
    JavaClasses pair =
        new ClassFileImporter()
            .importClasses(ColorEventLoop.class, FreeLoops.class, TerminationFutures.class);
    assertEquals(
        Set.of("ColorEventLoop", "FreeLoops"), new Cycles(pair, "dev.mely.netty").largest());
    JavaClasses noPair =
        new ClassFileImporter().importClasses(FreeLoops.class, TerminationFutures.class);
    assertEquals(Set.of(), new Cycles(noPair, "dev.mely.netty").largest());
  }

  /** The picture in the package's description: which classes do not know which. */
  @ParameterizedTest
  @CsvSource({
    "ColorTasks|LoopTimer|TaskHandler|TailTaskQueue|GroupState,"
        + "ColorChannels|ColorEventLoop|IoPoller|PollSection|Transport.*|.*Registration|Cores",
    "IoPoller|PollSection|Readiness,"
        + "ColorChannels|ColorEventLoop|CoreEventLoop|Transport.*|.*Registration|Cores",
    "StingyAllocator,"
        + "GroupState|ColorTasks|ColorChannels|ColorEventLoop|ReadBackPressure|.*Registration|Cores",
    "memory.ReadQueue, memory.WorkingSet",
    "memory.(Slabs|StingyBuf|CoreMemory|Block), memory.(ReadQueue|WorkingSet)",
    "ColorChannels, ColorEventLoop|Transport.*|(?!Loop).*Registration|Cores",
    ".*Registration|.*Transport, ColorEventLoop|CoreEventLoop|Transports|Cores",
    "ColorEventLoop|CoreEventLoop|ColorExecutor|FreeLoops|StartLatch, Cores|LoopPool|GroupShutdown",
    "Cores, LoopPool|GroupShutdown|ColorExecutors",
    "Cores|LoopPool|GroupShutdown|ColorExecutors, MelyEventLoopGroup.*",
  })
  void lowerClassesDoNotKnowHigherOnes(String lower, String higher) {
    noClasses()
        .that()
        .haveNameMatching("dev\\.mely\\.netty\\.(" + lower + ")(\\$.*)?")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("dev\\.mely\\.netty\\.(" + higher + ")(\\$.*)?")
        .check(MODULE);
  }

  /** Memory is counted, and waited for, without event loops. */
  @Test
  void memoryKnowsNothingOfEventLoops() {
    noClasses()
        .that()
        .resideInAPackage("dev.mely.netty.memory")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.mely.netty")
        .check(MODULE);
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
   * The classes of native transports are optional dependencies: code that touches them must expect
   * a LinkageError.
   */
  @ParameterizedTest
  @CsvSource({
    "io.netty.channel.epoll.., (Epoll(Transport|Registration)|monitor.EpollHandle).*",
    "io.netty.channel.uring.., IoUring(Transport|Registration)",
    "io.netty.channel.kqueue.., KQueueTransport"
  })
  void onlyTheseNeedNativeTransports(String packages, String names) {
    noClasses()
        .that()
        .haveNameNotMatching("dev\\.mely\\.netty\\." + names)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(packages)
        .check(MODULE);
  }

  /** It is put into programs that have neither Mely nor its Netty, in a jar of its own. */
  @Test
  void theDoctorStandsAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.mely.netty.doctor")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("dev.mely..", "io.netty..", "org.jctools..")
                .and(not(resideInAnyPackage("dev.mely.netty.doctor", "dev.mely.netty.sharing"))))
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage("dev.mely.netty.sharing")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("dev.mely..", "io.netty..")
                .and(not(resideInAPackage("dev.mely.netty.sharing"))))
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage("dev.mely.netty.doctor")
        .and()
        .haveNameNotMatching(".*\\.DoctorCommand") // in a virtual machine of its own
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("picocli..", "com.sun.tools.attach..")
        .check(MODULE);
    noClasses() // SECURITY.md: it opens no port
        .that()
        .resideInAPackage("dev.mely.netty.doctor")
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.net\\.(?!UR[IL]$).*|java\\.nio\\.channels\\..*|javax\\.net\\..*")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.doctor")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.mely.netty.doctor")
        .check(MODULE);
    assertEquals(Set.of(), new Cycles(MODULE, "dev.mely.netty.doctor").largest());
  }

  /** Byte Buddy is optional; and the agent's classes are loaded before Netty and Byte Buddy are. */
  @Test
  void onlyTheAgentsAdviceNeedsByteBuddy() {
    noClasses()
        .that()
        .haveNameNotMatching(
            "dev\\.mely\\.netty\\.(agent\\.Group(Transformer|Advice)|doctor\\.(ChangedNetty|Hooks)).*")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("net.bytebuddy..")
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage("dev.mely.netty.agent")
        .and()
        .haveSimpleNameNotStartingWith("Group")
        .and()
        .haveNameNotMatching(".*\\$.*")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.netty..", "dev.mely", "dev.mely.netty")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.agent")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.mely.netty.agent")
        .check(MODULE);
  }

  /** These libraries are optional, too. */
  @Test
  void onlyTheirPackagesNeedGrpcMicrometerMicronautSpringVertxAndBlockHound() {
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.grpc")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.grpc..", "dev.mely.netty.grpc..")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackages("dev.mely.netty.metrics", "dev.mely.netty.spring")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "dev.mely.netty.metrics..")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.spring")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.springframework..", "dev.mely.netty.spring..")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.micronaut")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micronaut..", "dev.mely.netty.micronaut..")
        .check(MODULE);
    noClasses()
        .that()
        .resideOutsideOfPackage("dev.mely.netty.vertx")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx..", "dev.mely.netty.vertx..")
        .check(MODULE);
    noClasses()
        .that()
        .haveNameNotMatching(".*BlockHoundSupport")
        .and()
        .resideOutsideOfPackage("dev.mely.netty.spring")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("reactor..")
        .check(MODULE);
  }
}
