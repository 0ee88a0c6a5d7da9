package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectNestedMethod;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.platform.commons.annotation.Testable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Netty's socket tests on Netty's own group. Not run as tests of this module: what fails is not
 * wrong, but it must be what the list says.
 */
final class StockSuite {
  private static final int ATTEMPTS = 5;

  private StockSuite() {}

  @ParameterizedClass
  @MethodSource("beds")
  static final class Inet extends WholeInetSuite {
    Inet(SuiteBed bed) {
      super(bed);
    }

    static List<SuiteBed> beds() {
      return StockSuite.beds(false);
    }
  }

  @ParameterizedClass
  @MethodSource("beds")
  static final class Domain extends DomainSuite {
    Domain(SuiteBed bed) {
      super(bed);
    }

    static List<SuiteBed> beds() {
      return StockSuite.beds(true);
    }
  }

  /** Set while the suite runs. */
  private static volatile Set<SuiteIo> transports = Set.of();

  private static List<SuiteBed> beds(boolean domain) {
    return SuiteBed.all(SuiteBed.Mode.STOCK, domain, transports);
  }

  /** Runs all tests on some transports: exactly those that are on the list must fail. */
  static void assertFailuresAreThoseOnTheList(Set<SuiteIo> on) {
    Set<String> healed = listed(on);
    healed.removeAll(run(on, List.of(selectClass(Inet.class), selectClass(Domain.class)), false));
    assertEquals(Set.of(), healed, "are on the list and pass on Netty's own group");
  }

  /**
   * Runs the tests on the list, on some transports: all of them must fail, the ones that depend on
   * who is faster at least once in a few attempts.
   */
  static void assertListedOnesFail(Set<SuiteIo> on) {
    List<DiscoverySelector> selectors = new ArrayList<>();
    for (String name : listed(on)) {
      String[] parts = name.split("[ .]");
      Class<?> suite = SuiteIo.valueOf(parts[0]).isDomain() ? Domain.class : Inet.class;
      Class<?> nested = nested(suite, parts[1]);
      Arrays.stream(nested.getMethods())
          .filter(method -> method.getName().equals(parts[2]))
          .filter(method -> AnnotationSupport.isAnnotated(method, Testable.class))
          .forEach(method -> selectors.add(selectNestedMethod(List.of(suite), nested, method)));
    }
    Set<String> healed = listed(on);
    for (int i = 0; i < ATTEMPTS && !healed.isEmpty(); i++) {
      healed.removeAll(run(on, selectors, true));
    }
    assertEquals(Set.of(), healed, "are on the list and pass on Netty's own group");
  }

  private static Class<?> nested(Class<?> suite, String name) {
    for (Class<?> c = suite; c != null; c = c.getSuperclass()) {
      for (Class<?> nested : c.getDeclaredClasses()) {
        if (nested.getSimpleName().equals(name)) {
          return nested;
        }
      }
    }
    throw new AssertionError("no such test: " + name);
  }

  private static Set<String> listed(Set<SuiteIo> on) {
    return StockFailures.LIST.keySet().stream()
        .filter(name -> on.contains(SuiteIo.valueOf(name.split(" ")[0])))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** Returns the listed tests that have failed; no other may. */
  private static Set<String> run(
      Set<SuiteIo> on, List<? extends DiscoverySelector> selectors, boolean listedOnly) {
    Set<String> known = listed(on);
    transports = on;
    StockFailures.takeSeen();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(selectors)
                .configurationParameter(StockFailures.LISTED_ONLY, String.valueOf(listedOnly))
                .build(),
            listener);
    Map<String, Throwable> seen = StockFailures.takeSeen();
    List<String> broken = new ArrayList<>();
    listener
        .getSummary()
        .getFailures()
        .forEach(
            failure -> broken.add(failure.getTestIdentifier() + ": " + failure.getException()));
    assertEquals(List.of(), broken, "the suite itself runs");
    Map<String, String> unexpected = new TreeMap<>();
    seen.forEach(
        (name, thrown) -> {
          if (!known.contains(name)) {
            unexpected.put(name, thrown.toString());
          }
        });
    assertEquals(Map.of(), unexpected, "fail on Netty's own group and are not on the list");
    return seen.keySet();
  }
}
