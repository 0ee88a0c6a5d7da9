package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Cost;
import dev.mely.annotation.Penalty;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Cost and penalty: declared or measured (requirements B5, B6, B8). */
class HandlerTest {
  // ---- Declared

  @Test
  void annotationsOfTheClassCount() {
    Handler<String> handler = new Annotated();
    assertEquals(5_000, handler.costNanos());
    assertEquals(4, handler.penalty());
    assertEquals(1_250, handler.discountedCostNanos());
  }

  @Test
  void annotationsAreInherited() {
    Handler<String> handler = new Annotated() {};
    assertEquals(5_000, handler.costNanos());
    assertEquals(4, handler.penalty());
  }

  @Test
  void constructorWinsOverAnnotations() {
    Handler<String> handler = new AnnotatedButGiven();
    assertEquals(7_000, handler.costNanos());
    assertEquals(1, handler.penalty());
  }

  @Test
  void functionMayDeclareToo() throws Exception {
    StringBuilder seen = new StringBuilder();
    Handler<String> handler =
        Handler.<String>of(seen::append).cost(Duration.ofNanos(100)).penalty(3);
    assertEquals(100, handler.costNanos());
    assertEquals(33, handler.discountedCostNanos());
    handler.handle("x");
    assertEquals("x", seen.toString());
  }

  @Test
  void eachDeclarationMakesANewHandler() {
    Handler.OfAction<Object> plain = Handler.of(e -> {});
    repeat(plain, 500, 16);
    Handler.OfAction<Object> named = plain.named("Named");
    assertEquals(0, named.costNanos(), "what was measured is not shared");
    Handler.OfAction<Object> begun = named.estimate(Duration.ofNanos(70));
    assertEquals(70, begun.costNanos());
    assertTrue(begun.isMeasured());
    Handler.OfAction<Object> costly = begun.cost(Duration.ofNanos(900));
    Handler.OfAction<Object> cold = costly.penalty(9);
    assertEquals(100, cold.discountedCostNanos());
    assertEquals("Named", cold.stage());
    assertEquals(900, costly.discountedCostNanos(), "as it was");
    assertEquals(500, plain.costNanos(), "as it was");
    assertTrue(!plain.stage().equals("Named"), plain::stage);
    assertEquals(plain.parts(), cold.parts());
  }

  @Test
  void penaltyNeverMakesWorkDisappear() {
    assertEquals(1, declared(Duration.ofNanos(10), 1_000).discountedCostNanos());
  }

  @Test
  void nothingDeclaredIsNothingKnown() {
    Handler<String> handler = Handler.of(e -> {});
    assertEquals(0, handler.costNanos());
    assertEquals(0, handler.discountedCostNanos());
    assertEquals(1, handler.penalty());
  }

  @Test
  void declaredCostWinsOverMeasurement() {
    Handler<String> handler = declared(Duration.ofNanos(100), 1);
    for (int i = 0; i < 100; i++) {
      handler.observe(1_000_000);
    }
    assertEquals(100, handler.costNanos());
    assertEquals(100, handler.discountedCostNanos());
  }

  // ---- Errors

  @Test
  void errorsNameTheValue() {
    assertMentions("PT0S", () -> declared(Duration.ZERO, 1));
    assertMentions("PT-1S", () -> declared(Duration.ofSeconds(-1), 1));
    assertMentions("penalty must be 1 or more, but is -1", () -> declared(null, -1));
    assertMentions("-3", () -> Handler.of(e -> {}).cost(Duration.ofNanos(1)).penalty(-3));
    assertMentions("empty", () -> Handler.of(e -> {}).named(""));
    assertMentions("PT0S", FreeOfCharge::new);
    assertMentions("penalty must be 1 or more, but is 0", WithoutPenalty::new);
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullIsRefused() {
    assertThrows(NullPointerException.class, () -> Handler.of(null));
    assertThrows(NullPointerException.class, () -> Handler.of(e -> {}).cost(null).penalty(1));
  }

  // ---- Measured

  @Test
  void firstRunsGiveTheirMean() {
    Handler<String> handler = Handler.of(e -> {});
    handler.observe(1_000);
    assertEquals(1_000, handler.costNanos());
    handler.observe(3_000);
    assertEquals(2_000, handler.costNanos());
    handler.observe(8_000);
    assertEquals(4_000, handler.costNanos());
  }

  @Test
  void penaltyDividesTheMeasuredCost() {
    Handler<String> handler = declared(null, 4);
    handler.observe(1_000);
    assertEquals(1_000, handler.costNanos());
    assertEquals(250, handler.discountedCostNanos());
  }

  @Test
  void costRises() {
    Handler<String> handler = measured(1_000);
    repeat(handler, 10_000, 200);
    assertClose(10_000, handler.costNanos());
  }

  /** What the interpreter needed for the first runs is forgotten. */
  @Test
  void costFalls() {
    Handler<String> handler = measured(60_000);
    repeat(handler, 200, 400);
    assertTrue(handler.costNanos() < 400, "still " + handler.costNanos());
  }

  @Test
  void oneOutlierDoesNotMultiplyTheCost() {
    Handler<String> handler = measured(1_000);
    handler.observe(5_000);
    assertTrue(handler.costNanos() <= 1_500, "is " + handler.costNanos());
  }

  @Test
  void runThatLostItsCpuOnTheWayCountsLittle() {
    Handler<String> handler = measured(10_000);
    handler.observe(4_000_000);
    assertTrue(handler.costNanos() <= 16_000, "is " + handler.costNanos());
    repeat(handler, 4_000_000, 40);
    assertTrue(handler.costNanos() > 2_000_000, "slow for good is slow: " + handler.costNanos());
  }

  @Test
  void rareLongRunsBelowATenthOfAMillisecondCountInFull() {
    Handler<String> handler = Handler.of(e -> {});
    for (int i = 0; i < 16; i++) {
      handler.observe(i == 9 ? 80_000 : 100);
    }
    assertTrue(handler.costNanos() > 4_500, "is " + handler.costNanos());
  }

  @Test
  void steadyHandlerStaysWhereItIs() {
    Handler<String> handler = measured(1_000);
    repeat(handler, 1_000, 1_000);
    assertEquals(1_000, handler.costNanos());
  }

  @Test
  void firstRunsAndLongRunsAreTimed() {
    Handler<String> quick = Handler.of(e -> {});
    for (int i = 0; i < 16; i++) {
      assertTrue(quick.wantsTiming(), "run " + i);
      quick.observe(100);
    }
    assertFalse(quick.wantsTiming());
    assertTrue(measured(50_000).wantsTiming());
  }

  // ---- Measured penalty

  /** Penalty p: a steal of these colors costs p times the usual price. */
  @Test
  void penaltyIsWhatStealsCostBeyondTheUsual() {
    Handler<String> handler = measured(100_000);
    drag(handler, 10_000, 1_000, 200);
    assertTrue(handler.penalty() >= 8 && handler.penalty() <= 11, "is " + handler.penalty());
    assertEquals(100_000 / handler.penalty(), handler.discountedCostNanos());
    assertEquals(100_000, handler.costNanos(), "it costs what it did");
  }

  @Test
  void usualStealsAreNoPenalty() {
    Handler<String> handler = measured(100_000);
    drag(handler, 1_000, 1_000, 1_000);
    assertEquals(1, handler.penalty());
    drag(handler, -50_000, 1_000, 1_000);
    assertEquals(1, handler.penalty(), "never below 1");
    assertEquals(100_000, handler.discountedCostNanos());
  }

  @Test
  void onePreemptedThiefProvesNothing() {
    Handler<String> fresh = measured(100_000);
    fresh.observeDrag(1_000_000_000, 1_000);
    assertEquals(1, fresh.penalty());
    Handler<String> known = measured(100_000);
    drag(known, 10_000, 1_000, 200);
    int before = known.penalty();
    known.observeDrag(Long.MAX_VALUE / 2, 1_000);
    assertTrue(known.penalty() <= before + before / 2, before + " before, now " + known.penalty());
  }

  @Test
  void penaltyFallsWithWhatStealsCost() {
    Handler<String> handler = measured(100_000);
    drag(handler, 10_000, 1_000, 200);
    drag(handler, 1_000, 1_000, 200);
    assertEquals(1, handler.penalty());
    assertEquals(100_000, handler.discountedCostNanos());
  }

  /** It keeps thieves away, so nobody would ever measure it again. */
  @Test
  void penaltyWearsOffWhereNothingIsStolen() {
    for (int times : new int[] {3, 10, 100, 900}) {
      Handler<String> handler = measured(100_000);
      drag(handler, times * 1_000L, 1_000, 300);
      int last = handler.penalty();
      assertTrue(last > times / 2, "is " + last);
      for (int i = 0; i < 2_000; i++) {
        handler.observe(100_000);
        assertTrue(handler.penalty() <= last, "it rose to " + handler.penalty());
        last = handler.penalty();
      }
      assertEquals(1, last);
      assertEquals(100_000, handler.discountedCostNanos());
    }
  }

  /** Stealing renews it: it does not wear off between two steals. */
  @Test
  void penaltyStaysWhileStealsRenewIt() {
    Handler<String> handler = measured(100_000);
    drag(handler, 20_000, 1_000, 300);
    for (int i = 0; i < 1_000; i++) {
      handler.observe(100_000);
      handler.observeDrag(20_000, 1_000);
      assertTrue(handler.penalty() >= 12, "is " + handler.penalty());
    }
  }

  @Test
  void penaltyThatIsAboutRightStays() {
    Handler<String> handler = measured(100_000);
    drag(handler, 20_500, 1_000, 300);
    int penalty = handler.penalty();
    for (int i = 0; i < 300; i++) {
      handler.observeDrag(i % 20 < 10 ? 19_000 : 21_500, 1_000);
      assertEquals(penalty, handler.penalty());
    }
    drag(handler, 40_000, 1_000, 300);
    assertTrue(handler.penalty() > 30, "is " + handler.penalty());
  }

  @Test
  void measuredPenaltyIsBounded() {
    Handler<String> handler = measured(100_000);
    drag(handler, 1_000_000_000, 500, 300);
    assertEquals(1_000, handler.penalty());
    assertEquals(100, handler.discountedCostNanos());
  }

  @Test
  void declaredPenaltyWinsOverMeasurement() {
    Handler<String> handler = declared(null, 3);
    repeat(handler, 9_000, 16);
    drag(handler, 100_000, 1_000, 200);
    assertEquals(3, handler.penalty());
    assertEquals(3_000, handler.discountedCostNanos());
    repeat(handler, 9_000, 2_000);
    assertEquals(3, handler.penalty(), "nor does it wear off");
  }

  @Test
  void penaltyIsMeasuredWhereOnlyTheCostIsDeclared() {
    Handler<String> handler = declared(Duration.ofNanos(100_000), 0);
    drag(handler, 10_000, 1_000, 200);
    assertTrue(handler.penalty() >= 8, "is " + handler.penalty());
    assertEquals(100_000 / handler.penalty(), handler.discountedCostNanos());
    repeat(handler, 5, 2_000);
    assertEquals(1, handler.penalty());
    assertEquals(100_000, handler.discountedCostNanos());
  }

  // ---- Like another

  @Test
  void handlerMayBeginWhereAnotherIs() {
    Handler<String> first = measured(50_000);
    drag(first, 10_000, 1_000, 200);
    Handler<String> second = new Like(first);
    assertEquals(first.costNanos(), second.costNanos());
    assertEquals(first.penalty(), second.penalty());
    assertEquals(first.discountedCostNanos(), second.discountedCostNanos());
    int penalty = first.penalty();
    repeat(second, 50_000, 2_000);
    assertEquals(1, second.penalty(), "what was measured may wear off");
    assertEquals(penalty, first.penalty(), "they go different ways");
    repeat(second, 5_000, 400);
    assertEquals(50_000, first.costNanos());
    assertTrue(second.costNanos() < 10_000, "is " + second.costNanos());
  }

  @Test
  void handlerLikeAnotherNeedsNoFirstRuns() {
    Handler<String> second = new Like(measured(100));
    assertFalse(second.wantsTiming());
    second.observe(10_000);
    assertTrue(second.costNanos() < 1_000, "one run is not all it knows: " + second.costNanos());
    assertTrue(new Like(Handler.of(e -> {})).wantsTiming(), "nothing to begin with");
  }

  @Test
  void handlerLikeADeclaredOneIsDeclared() {
    Handler<String> second = new Like(declared(Duration.ofNanos(9_000), 3));
    repeat(second, 1_000_000, 100);
    drag(second, 1_000_000, 1_000, 100);
    assertEquals(9_000, second.costNanos());
    assertEquals(3, second.penalty());
    assertEquals(3_000, second.discountedCostNanos());
    assertFalse(second.isMeasured());
  }

  @Test
  void handlerMayBeginWithAnEstimate() {
    Handler<String> handler = estimated(null, Duration.ofNanos(9_000));
    assertEquals(9_000, handler.costNanos());
    assertTrue(handler.isMeasured());
    assertTrue(handler.wantsTiming(), "it is one figure, not the truth");
    handler.observe(3_000);
    assertEquals(6_000, handler.costNanos(), "it counts as the first run");
    repeat(handler, 100, 200);
    assertTrue(handler.costNanos() < 200, "is " + handler.costNanos());
  }

  @Test
  void whatIsDeclaredWinsOverAnEstimate() {
    Handler<String> handler = estimated(Duration.ofNanos(100), Duration.ofNanos(9_000));
    assertEquals(100, handler.costNanos());
    assertEquals(0, estimated(null, null).costNanos());
    assertMentions("PT0S", () -> estimated(null, Duration.ZERO));
  }

  private static Handler<String> estimated(@Nullable Duration cost, @Nullable Duration estimate) {
    Work work = work(cost, 0);
    return new Handler<>(estimate == null ? work : work.estimate(estimate)) {
      @Override
      public void handle(String event) {}
    };
  }

  private static void drag(Handler<?> handler, long nanos, long usual, int times) {
    for (int i = 0; i < times; i++) {
      handler.observeDrag(nanos, usual);
    }
  }

  private static Handler<String> measured(long nanos) {
    Handler<String> handler = Handler.of(e -> {});
    repeat(handler, nanos, 16);
    assertEquals(nanos, handler.costNanos());
    return handler;
  }

  private static void repeat(Handler<?> handler, long nanos, int times) {
    for (int i = 0; i < times; i++) {
      handler.observe(nanos);
    }
  }

  private static void assertClose(long expected, long actual) {
    assertTrue(Math.abs(actual - expected) <= expected / 4, "is " + actual);
  }

  private static void assertMentions(
      String text, org.junit.jupiter.api.function.Executable action) {
    Exception e = assertThrows(IllegalArgumentException.class, action);
    assertTrue(e.getMessage().contains(text), e.getMessage());
  }

  private static Handler<String> declared(@Nullable Duration cost, int penalty) {
    return new Handler<>(work(cost, penalty)) {
      @Override
      public void handle(String event) {}
    };
  }

  /** Null and 0: to be measured. */
  private static Work work(@Nullable Duration cost, int penalty) {
    Work work = Work.MEASURED;
    if (cost != null) {
      work = work.cost(cost);
    }
    return penalty == 0 ? work : work.penalty(penalty);
  }

  @Cost(nanos = 5_000)
  @Penalty(4)
  private static class Annotated extends Handler<String> {
    @Override
    public void handle(String event) {}
  }

  @Cost(nanos = 1)
  private static final class Like extends Handler<String> {
    Like(Handler<?> like) {
      super(like);
    }

    @Override
    public void handle(String event) {}
  }

  @Cost(nanos = 5_000)
  @Penalty(4)
  private static final class AnnotatedButGiven extends Handler<String> {
    AnnotatedButGiven() {
      super(Work.MEASURED.cost(Duration.ofNanos(7_000)).penalty(1));
    }

    @Override
    public void handle(String event) {}
  }

  @Cost(nanos = 0)
  private static final class FreeOfCharge extends Handler<String> {
    @Override
    public void handle(String event) {}
  }

  @Penalty(0)
  private static final class WithoutPenalty extends Handler<String> {
    @Override
    public void handle(String event) {}
  }
}
