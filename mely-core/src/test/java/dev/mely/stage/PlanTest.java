package dev.mely.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.stage.Plan.Instances;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PlanTest {
  private static Map<String, Instances> two() {
    Map<String, Instances> objects = new LinkedHashMap<>();
    objects.put("request", new Instances(64, 2048, Set.of("Parse"), Set.of("Write")));
    objects.put("page", new Instances(3, 5, Set.of("Parse", "Look")));
    return objects;
  }

  @Test
  void saysWhatAStageAllocatesAndWhatAllTakes() {
    Plan plan = new Plan(two());
    assertEquals(64 * 2048 + 3 * 5, plan.bytes());
    assertEquals(List.of("request", "page"), List.copyOf(plan.allocatedBy("Parse")));
    assertEquals(Set.of("page"), plan.allocatedBy("Look"));
    assertEquals(Set.of(), plan.allocatedBy("another"));
    assertEquals(Set.of("request"), plan.freedBy("Write"));
    assertEquals(Set.of(), plan.freedBy("Parse"));
    assertTrue(plan.knows("Write") && plan.knows("Look") && !plan.knows("another"));
  }

  @Test
  void keepsACopyInItsOrder() {
    Map<String, Instances> objects = two();
    Plan plan = new Plan(objects);
    objects.clear();
    assertEquals(List.of("request", "page"), List.copyOf(plan.objects().keySet()));
    assertThrows(UnsupportedOperationException.class, () -> plan.objects().clear());
    assertThrows(UnsupportedOperationException.class, () -> plan.allocatedBy("Parse").clear());
  }

  @Test
  void refusesNumbersBelowOne() {
    assertEquals("count must be 1 or more, but is 0", refused(0, 1));
    assertEquals("bytes must be 1 or more, but is -1", refused(1, -1));
  }

  private static String refused(int count, int bytes) {
    return String.valueOf(
        assertThrows(
                IllegalArgumentException.class, () -> new Instances(count, bytes, Set.of("Parse")))
            .getMessage());
  }
}
