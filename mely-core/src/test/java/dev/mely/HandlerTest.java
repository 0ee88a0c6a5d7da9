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
    Handler<String> handler = Handler.of(seen::append, Duration.ofNanos(100), 3);
    assertEquals(100, handler.costNanos());
    assertEquals(33, handler.discountedCostNanos());
    handler.handle("x");
    assertEquals("x", seen.toString());
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
    assertMentions("penalty must be 1 or more, but is 0", () -> declared(null, 0));
    assertMentions("-3", () -> Handler.of(e -> {}, Duration.ofNanos(1), -3));
    assertMentions("PT0S", FreeOfCharge::new);
    assertMentions("penalty must be 1 or more, but is 0", WithoutPenalty::new);
  }

  @Test
  @SuppressWarnings("NullAway")
  void nullIsRefused() {
    assertThrows(NullPointerException.class, () -> Handler.of(null));
    assertThrows(NullPointerException.class, () -> Handler.of(e -> {}, null, 1));
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
    return new Handler<>(cost, penalty) {
      @Override
      public void handle(String event) {}
    };
  }

  @Cost(nanos = 5_000)
  @Penalty(4)
  private static class Annotated extends Handler<String> {
    @Override
    public void handle(String event) {}
  }

  @Cost(nanos = 5_000)
  @Penalty(4)
  private static final class AnnotatedButGiven extends Handler<String> {
    AnnotatedButGiven() {
      super(Duration.ofNanos(7_000), 1);
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
