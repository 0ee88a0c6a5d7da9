package dev.mely;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.mely.kit.Exploration;
import dev.mely.kit.Mutant;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.jetbrains.lincheck.LincheckAssertionError;

/**
 * A planted bug, and the Lincheck scenario that has to find it, in a fraction of the interleavings
 * that it explores where there is none.
 */
public final class LincheckMutant {
  private final Mutant bug;
  private final String scenario;
  private final Function<Class<?>, Exploration> exploration;

  /**
   * @param name what is broken
   * @param file the source file, relative to {@code dev.mely}
   * @param original the lines to replace; must occur exactly once
   * @param replacement what stands there instead
   * @param scenario the class of the scenario, of the file's package
   * @param exploration what is explored of it
   */
  public LincheckMutant(
      String name,
      String file,
      String original,
      String replacement,
      String scenario,
      Function<Class<?>, Exploration> exploration) {
    this.bug = new Mutant(name, file, original, replacement);
    this.scenario = scenario;
    this.exploration = exploration;
  }

  /** Explores a copy with the bug: Lincheck remembers what it has instrumented by name. */
  public void assertCaught(Path scratch) throws IOException, ClassNotFoundException {
    Exploration withBug = exploration.apply(bug.loadCopy(scenario, scratch));
    LincheckAssertionError found = assertThrows(LincheckAssertionError.class, withBug::check);
    String kind = String.valueOf(found.getMessage()).strip().lines().findFirst().orElse("");
    System.out.println("caught: " + this + " (" + kind + ")");
  }

  @Override
  public String toString() {
    return bug.name();
  }
}
