package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.StealPolicy.Heuristic;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each heuristic can be switched on and off alone, by name (requirement B7). */
class StealPolicyTest {
  static final List<StealPolicy> VALID = valid();

  private static List<StealPolicy> valid() {
    List<StealPolicy> all = new ArrayList<>(List.of(StealPolicy.OFF));
    for (int i = 0; i < 8; i++) {
      StealPolicy policy = StealPolicy.BASE;
      int bits = i;
      for (Heuristic heuristic : Heuristic.values()) {
        if ((bits & 1) != 0) {
          policy = policy.with(heuristic);
        }
        bits >>= 1;
      }
      all.add(policy);
    }
    return all;
  }

  @ParameterizedTest
  @FieldSource("VALID")
  void parsesWhatItPrints(StealPolicy policy) {
    assertEquals(policy, StealPolicy.parse(policy.toString()));
    assertEquals(policy, StealPolicy.parse(policy.toString().toUpperCase(Locale.ROOT)));
  }

  @Test
  void namesOfTheConstants() {
    assertEquals("off", StealPolicy.OFF.toString());
    assertEquals("base", StealPolicy.BASE.toString());
    assertEquals("locality", StealPolicy.LOCALITY.toString());
    assertEquals("time-left", StealPolicy.TIME_LEFT.toString());
    assertEquals("penalty", StealPolicy.PENALTY.toString());
    assertEquals("all", StealPolicy.ALL.toString());
  }

  @Test
  void eachHeuristicAlone() {
    assertOn(StealPolicy.OFF, "off", false);
    assertOn(StealPolicy.BASE, "base", true);
    assertOn(StealPolicy.LOCALITY, "locality", true, Heuristic.LOCALITY);
    assertOn(StealPolicy.TIME_LEFT, "time-left", true, Heuristic.TIME_LEFT);
    assertOn(StealPolicy.PENALTY, "penalty", true, Heuristic.PENALTY);
    assertOn(StealPolicy.ALL, "all", true, Heuristic.values());
  }

  private static void assertOn(
      StealPolicy expected, String name, boolean steals, Heuristic... heuristics) {
    StealPolicy policy = StealPolicy.parse(name);
    assertEquals(expected, policy);
    assertEquals(steals, policy.steals());
    for (Heuristic heuristic : Heuristic.values()) {
      assertEquals(List.of(heuristics).contains(heuristic), policy.isOn(heuristic));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "locality+time-left, locality+time-left",
    "penalty+locality, locality+penalty",
    "' base + Penalty ', penalty",
    "locality+time-left+penalty, all",
    "all+base, all"
  })
  void namesCombine(String text, String printed) {
    assertEquals(printed, StealPolicy.parse(text).toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"fastest", "base+fastest", "fastest+off"})
  void unknownNameIsNamed(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> StealPolicy.parse(text));
    assertTrue(e.getMessage().contains("'fastest' in '" + text + "'"), e.getMessage());
    assertTrue(e.getMessage().contains("time-left"), "says what is known: " + e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "+", "base+", "base,penalty", "time left"})
  void malformedTextIsRefused(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> StealPolicy.parse(text));
    assertTrue(e.getMessage().contains("in '" + text + "'"), e.getMessage());
  }

  @ParameterizedTest
  @ValueSource(strings = {"off+base", "locality+off"})
  void offStandsAlone(String text) {
    Exception e = assertThrows(IllegalArgumentException.class, () -> StealPolicy.parse(text));
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }

  @Test
  void aHeuristicNeedsStealing() {
    assertEquals(StealPolicy.LOCALITY, StealPolicy.OFF.with(Heuristic.LOCALITY));
    assertEquals(StealPolicy.BASE, StealPolicy.OFF.with());
    assertFalse(StealPolicy.OFF.steals(), "as it was");
  }

  @Test
  void policiesAreEqualIfTheyDoTheSame() {
    assertEquals(9, new HashSet<>(VALID).size());
    StealPolicy two = StealPolicy.BASE.with(Heuristic.PENALTY, Heuristic.LOCALITY);
    assertEquals(two, StealPolicy.LOCALITY.with(Heuristic.PENALTY));
    assertEquals(two.hashCode(), StealPolicy.parse("locality+penalty").hashCode());
  }

  @Test
  void policiesDifferIfTheyDoNot() {
    assertNotEquals(StealPolicy.OFF, StealPolicy.BASE);
    assertNotEquals(StealPolicy.LOCALITY, StealPolicy.PENALTY);
    Object name = "all";
    assertNotEquals(StealPolicy.ALL, name);
    assertNotEquals(StealPolicy.LOCALITY.hashCode(), StealPolicy.PENALTY.hashCode());
  }

  @Test
  @SuppressWarnings("NullAway") // what is not allowed
  void missingTextIsNamed() {
    Exception e = assertThrows(NullPointerException.class, () -> StealPolicy.parse(null));
    assertEquals("text", e.getMessage());
  }

  @Test
  void thievesLookIntoStealingQueuesForWorkAndForPenalty() {
    assertFalse(StealPolicy.OFF.usesStealingQueue());
    assertFalse(StealPolicy.BASE.usesStealingQueue());
    assertFalse(StealPolicy.LOCALITY.usesStealingQueue());
    assertTrue(StealPolicy.TIME_LEFT.usesStealingQueue());
    assertTrue(StealPolicy.PENALTY.usesStealingQueue());
    assertTrue(StealPolicy.ALL.usesStealingQueue());
  }

  @Test
  void eventsWeighWhatThePolicyLooksAt() {
    Handler<Object> handler = Handler.of(e -> {}).cost(Duration.ofNanos(9_000)).penalty(3);
    assertEquals(1, StealPolicy.BASE.weigh(handler));
    assertEquals(1, StealPolicy.LOCALITY.weigh(handler));
    assertEquals(9_000, StealPolicy.TIME_LEFT.weigh(handler));
    assertEquals(3_000, StealPolicy.PENALTY.weigh(handler));
    assertEquals(3_000, StealPolicy.ALL.weigh(handler));
  }
}
