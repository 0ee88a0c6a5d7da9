package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The thread for which a worker waits may itself wait for this worker's CPU: on each way to wait
 * the CPU is offered.
 */
class GiveWayTest {
  private static final int LOOKS = 640;

  private final List<String> ran = new ArrayList<>();
  private final Handler<String> note = Handler.of(ran::add);

  @Test
  void whoSearchesInVain() {
    for (StealPolicy policy : List.of(StealPolicy.ALL, StealPolicy.OFF)) {
      SettingsBuilder settings = new SettingsBuilder();
      settings.cores = 2;
      settings.spins = 200;
      settings.policy = policy;
      StillMely still = new StillMely(settings);
      still.stepTo(1, WorkerState.PARK);
      assertEquals(12, still.host.givenWay(), "each 16th of 200 spins: " + policy);
    }
  }

  /** Also if it is the only color of its core, which is kept from batch to batch. */
  @Test
  void whoWaitsForAnEventToBeLinked() {
    for (int others = 0; others < 2; others++) {
      ran.clear();
      StillMely still = new StillMely(1, StealPolicy.ALL);
      Color color = still.mely.newColor(0);
      still.mely.register(color, note, "first");
      Event second = new Envelope("second");
      second.attach(note);
      Object previous = color.swap(second);
      Color other = still.mely.newColor(0);
      Handler<String> again =
          new Handler<>(Work.MEASURED) {
            @Override
            public void handle(String event) {
              still.mely.register(other, this, event);
            }
          };
      if (others > 0) {
        still.mely.register(other, again, "other");
      }
      for (int i = 0; i <= 10 * others; i++) {
        look(still); // with another color's batches in between it looks less often
      }
      assertEquals(List.of("first"), ran, "the second is not linked yet");
      int offered = still.host.givenWay();
      assertTrue(offered > 0, "never offered its CPU, with " + others + " other colors");
      color.link(previous, second);
      look(still);
      assertEquals(List.of("first", "second"), ran);
    }
  }

  @Test
  void whoWaitsForAnotherOneToLetGoOfTheQueue() {
    StillMely still = new StillMely(1, StealPolicy.ALL);
    still.mely.register(still.mely.newColor(0), note, "event");
    assertTrue(still.core(0).queue.tryConsume(), "a thief that has lost its CPU");
    look(still);
    assertEquals(LOOKS / 64, still.host.givenWay());
    assertEquals(List.of(), ran);
  }

  private static void look(StillMely still) {
    for (int i = 0; i < LOOKS; i++) {
      still.step(0);
    }
  }
}
