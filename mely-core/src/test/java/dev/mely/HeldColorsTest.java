package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an event may do to the colors that it holds: {@link Color#isRunBy} is true of writers. */
@Timeout(300)
class HeldColorsTest {
  private final Mely mely = Mely.builder().cores(2).pinned(false).build();
  private final Color a = mely.newColor();
  private final Color b = mely.newColor();
  private final Color c = mely.newColor();
  private final List<String> seen = Collections.synchronizedList(new ArrayList<>());
  private final CountDownLatch over = new CountDownLatch(1);

  @AfterEach
  void close() {
    assertTrue(mely.shutdown(java.time.Duration.ofSeconds(60)).drained());
  }

  private void note(String where) {
    seen.add(where + ": a " + held(a) + ", b " + held(b) + ", c " + held(c));
  }

  private static String held(Color color) {
    return color.isRunBy(Thread.currentThread()) ? "has" : color.isCurrent() ? "reads" : "no";
  }

  private void awaitEnd() throws InterruptedException {
    assertTrue(over.await(120, TimeUnit.SECONDS));
  }

  @Test
  void aReaderHasNotTheColorForItself() throws Exception {
    mely.executor(Permissions.read(a).andWrite(b))
        .execute(
            () -> {
              note("event");
              over.countDown();
            });
    awaitEnd();
    assertEquals(List.of("event: a reads, b has, c no"), seen);
  }

  /** Its parent has both for itself, and no child has more than it has asked for. */
  @Test
  void aChildThatReadsHasNotWhatItsParentWrites() throws Exception {
    Handler<String> note = Handler.of(this::note);
    mely.executor(Permissions.write(a, b).andRead(c))
        .execute(
            () -> {
              note("parent");
              mely.fork()
                  .child(Permissions.read(a), note, "reader")
                  .child(Permissions.write(a).andRead(b), note, "writer")
                  .then(
                      failures -> {
                        note("continuation");
                        over.countDown();
                      });
            });
    awaitEnd();
    assertEquals(
        List.of(
            "parent: a has, b has, c reads",
            "reader: a reads, b no, c no",
            "writer: a has, b reads, c no",
            "continuation: a has, b has, c reads"),
        seen);
  }
}
