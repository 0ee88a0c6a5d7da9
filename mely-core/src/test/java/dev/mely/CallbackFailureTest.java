package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The small callbacks, which nobody expects to fail: what a handler or an event of the user's own
 * says of itself. Nothing stays pending, no room is kept, what was to be reported is.
 */
@Timeout(300)
class CallbackFailureTest {
  private final List<Object> ran = new ArrayList<>();

  @Test
  void handlerThatCannotSayAtRegistrationWhetherItIsDroppable() {
    StillMely still = bounded(new SettingsBuilder());
    BoundedColor color = (BoundedColor) still.mely.newColor();
    Numbered event = new Numbered(1);
    Undecided undecided = new Undecided(0);
    assertThrows(StackOverflowError.class, () -> still.mely.register(color, undecided, event));
    assertFalse(event.isPending());
    assertEquals(0, color.load());
    still.mely.register(color, Handler.of(ran::add), event);
    still.run(0);
    assertEquals(List.of(event), ran);
  }

  @Test
  void handlerThatCannotSayLaterWhetherItIsDroppable() {
    StillMely still = bounded(new SettingsBuilder());
    BoundedColor color = (BoundedColor) still.mely.newColor();
    still.mely.register(color, new Undecided(1), "a");
    still.mely.register(color, new Undecided(1), "b");
    still.run(0);
    assertEquals(List.of("a", "b"), ran, "what cannot be dropped is run");
    assertEquals(0, color.load());
    assertTrue(color.toString().contains("idle"), color::toString);
  }

  @Test
  void eventThatCannotNameItsSubjectIsReportedAllTheSame() {
    List<Object> told = new ArrayList<>();
    SettingsBuilder settings = new SettingsBuilder();
    Errors errors = new Errors((color, event, error) -> told.add(event));
    Event nameless = new Nameless();
    try (LogTap log = new LogTap("dev.mely")) {
      errors.report(new StillMely(settings).mely.newColor(), nameless, new Error("planned"));
      assertEquals(1, log.warnings().size(), () -> log.warnings().toString());
    }
    assertEquals(1, told.size());
    assertSame(nameless, told.get(0));
  }

  @Test
  void handlerWithoutANameIsDumpedAndReportedByItsClass() {
    StillMely still = bounded(new SettingsBuilder());
    Handler<Object> speechless = new Speechless();
    List<String> dumps = new ArrayList<>();
    Color color = still.mely.newColor();
    Handler<Object> dump = Handler.of(e -> dumps.add(still.mely.inspect().dump()));
    still.mely.register(color, dump, 1);
    still.mely.register(color, speechless, 2);
    still.run(0);
    assertEquals(List.of(), still.errors);
    assertEquals(1, dumps.size());
    String name = Speechless.class.getName();
    assertTrue(dumps.get(0).contains(name), dumps.get(0));
    StackTraceElement[] stack = {new StackTraceElement("app.Handlers", "waits", "H.java", 17)};
    try (LogTap log = new LogTap("dev.mely")) {
      new Errors(null).reportBlocked(0, color, speechless, Duration.ofMillis(9), stack);
      assertEquals(1, log.warnings().size());
      assertTrue(log.warnings().get(0).contains(name), () -> log.warnings().get(0));
      assertTrue(log.warnings().get(0).contains("app.Handlers"), () -> log.warnings().get(0));
    }
  }

  private static StillMely bounded(SettingsBuilder settings) {
    settings.maxPendingPerColor = 2;
    return new StillMely(settings);
  }

  /** Says so many times that it is not droppable, and fails from then on. */
  private final class Undecided extends Handler<Object> {
    private int answers;

    Undecided(int answers) {
      this.answers = answers;
    }

    @Override
    public void handle(Object event) {
      ran.add(event);
    }

    @Override
    protected boolean isDroppable() {
      if (answers-- <= 0) {
        throw new StackOverflowError("planned");
      }
      return false;
    }
  }

  private static final class Nameless extends Event {
    @Override
    protected Object subject() {
      throw new AssertionError("planned");
    }
  }

  private static final class Speechless extends Handler<Object> {
    @Override
    public void handle(Object event) {}

    @Override
    public String toString() {
      throw new AssertionError("planned");
    }
  }
}
