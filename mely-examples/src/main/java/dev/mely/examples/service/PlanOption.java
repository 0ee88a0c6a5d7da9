package dev.mely.examples.service;

import dev.mely.MelyBuilder;
import dev.mely.examples.stingy.StageJson;
import dev.mely.report.Statistics;
import dev.mely.stage.Plan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The option of servers whose stages take their memory from pools. */
public final class PlanOption {
  @Option(
      names = "--plan",
      paramLabel = "FILE",
      converter = Reader.class,
      description =
          "Takes memory from one pool per core, sized by a plan from 'stingy plan --out'; an event"
              + " that finds its pool empty waits.")
  private @Nullable Plan plan;

  /** For picocli. */
  public PlanOption() {}

  /**
   * Gives a runtime its pools, if the option names a plan.
   *
   * @param runtime how it is built
   * @return the same
   * @throws IllegalArgumentException if the plan takes too much memory
   */
  public MelyBuilder plan(MelyBuilder runtime) {
    return plan == null ? runtime : runtime.plan(plan);
  }

  /**
   * Says how often a pool was empty.
   *
   * @param name of the application
   * @param statistics of its runtime
   * @return a line to print; empty if there are no pools
   */
  public String report(String name, Statistics statistics) {
    if (plan == null) {
      return "";
    }
    Statistics.PerCore all = statistics.total();
    return String.format(
        Locale.ROOT,
        "%s: events that waited for pool memory: %,d; that ran without: %,d%n",
        name,
        all.passedOver(),
        all.ranRegardless());
  }

  private static final class Reader implements ITypeConverter<Plan> {
    @Override
    public Plan convert(String path) {
      try {
        return StageJson.plan(Path.of(path));
      } catch (IOException | IllegalArgumentException e) {
        throw new TypeConversionException(StageJson.explain(e));
      }
    }
  }
}
