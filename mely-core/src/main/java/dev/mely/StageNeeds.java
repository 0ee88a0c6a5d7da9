package dev.mely;

import dev.mely.annotation.Allocates;
import dev.mely.annotation.Frees;
import dev.mely.stage.Plan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which objects of a plan the next event of a handler may allocate: what the plan says of its
 * stage, else what the classes that it runs are annotated with. A stage that frees anything needs
 * nothing: it is always admitted, since other colors wait for what it frees.
 *
 * <p>Owned by one worker. Source: Stingy Allocator (ISMM'06), section 3.1: the table that maps a
 * stage to the objects that it allocates.
 */
final class StageNeeds {
  private static final int[] NOTHING = {};

  private final Plan plan;

  /** The names of the plan's objects, in the order of the pool. */
  private final List<String> objects;

  private final Errors errors;
  private final Map<String, int[]> known = new HashMap<>();

  StageNeeds(Plan plan, Errors errors) {
    this.plan = plan;
    this.objects = new ArrayList<>(plan.objects().keySet());
    this.errors = errors;
  }

  /**
   * Returns the objects that the handler's stage allocates.
   *
   * @return indices of the pool's objects
   */
  int[] of(Handler<?> handler) {
    try {
      Handler<?> shown = handler.recordedAs();
      String stage = shown.stage();
      int[] needs = known.get(stage);
      if (needs == null) {
        needs = find(stage, shown.parts());
        known.put(stage, needs);
      }
      return needs;
    } catch (Throwable t) {
      errors.report(null, handler, t);
      return NOTHING; // it runs as it would without a plan
    }
  }

  private int[] find(String stage, List<Class<?>> parts) {
    Set<String> allocated = new LinkedHashSet<>(plan.allocatedBy(stage));
    boolean frees = !plan.freedBy(stage).isEmpty();
    for (Class<?> part : parts) {
      frees |= part.isAnnotationPresent(Frees.class);
      if (!plan.knows(stage)) {
        for (Allocates each : part.getAnnotationsByType(Allocates.class)) {
          allocated.add(each.value());
        }
      }
    }
    return frees ? NOTHING : indices(allocated);
  }

  private int[] indices(Set<String> allocated) {
    int[] needs = new int[allocated.size()];
    int n = 0;
    for (String object : allocated) {
      int index = objects.indexOf(object);
      if (index >= 0) { // else it is not planned
        needs[n++] = index;
      }
    }
    return Arrays.copyOf(needs, n);
  }
}
