package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Colors by number (requirement B11). */
@Timeout(300)
class ColorTableTest {
  private final StillMely still = new StillMely(4, StealPolicy.OFF);
  private final ColorTable table = new ColorTable();

  @Test
  void oneNumberIsOneColor() {
    Color color = make(7);
    assertSame(color, make(7));
    assertNotSame(color, make(8));
    assertNotSame(color, make(-7));
  }

  @Test
  void numbersBeyondIntAreDistinct() {
    Color low = make(5);
    Color high = make(5 + (1L << 32));
    assertNotSame(low, high);
    assertSame(high, make(5 + (1L << 32)));
  }

  @Test
  void colorThatSomebodyHoldsStays() {
    Color color = make(7);
    collect(1);
    assertSame(color, make(7));
    Reference.reachabilityFence(color);
  }

  /** The collector tells of a color late, when its number has a new one already. */
  @Test
  void lateNewsOfACollectedColorDoesNotTouchItsSuccessor() throws ReflectiveOperationException {
    make(7);
    Field field = ColorTable.class.getDeclaredField("entries");
    field.setAccessible(true);
    Reference<?> entry = (Reference<?>) ((Map<?, ?>) field.get(table)).get(7L);
    entry.clear();
    Color successor = make(7);
    assertTrue(entry.enqueue());
    assertEquals(1, table.size());
    assertSame(successor, make(7));
  }

  @Test
  void colorThatNobodyHoldsIsCollected() {
    for (int i = 0; i < 1_000; i++) {
      make(i);
    }
    collect(0);
    Color anew = make(7);
    assertSame(anew, make(7));
    assertEquals(1, table.size());
    Reference.reachabilityFence(anew);
  }

  /** Else a second color of the same number could have events at the same time. */
  @Test
  void colorWithPendingEventsIsNotCollected() {
    int[] ran = new int[1];
    still.mely.register(still.mely.color(7), Handler.of(e -> ran[0]++), "event");
    WeakReference<Object> canary = new WeakReference<>(new Object());
    await().until(() -> isCleared(canary));
    Color found = still.mely.color(7);
    assertTrue(found.toString().contains("queued"), found.toString());
    still.mely.register(found, Handler.of(e -> ran[0] *= 10), "event");
    still.run(3);
    assertEquals(10, ran[0]);
  }

  @Test
  void numberGivesTheFirstCore() {
    for (int number : new int[] {0, 1, 4, 6, 103}) {
      assertEquals(number % 4, still.mely.color(number).core());
    }
    assertSame(still.mely.defaultColor(), still.mely.color(0));
  }

  @Test
  void concurrentLookupsAgree() throws InterruptedException {
    int keys = 2_000;
    int threads = 4;
    AtomicInteger made = new AtomicInteger();
    List<List<Color>> found = new ArrayList<>();
    Threads seekers = new Threads();
    for (int t = 0; t < threads; t++) {
      List<Color> mine = new ArrayList<>();
      found.add(mine);
      seekers.add(
          () -> {
            for (int key = 0; key < keys; key++) {
              mine.add(
                  table.get(
                      key,
                      k -> {
                        made.incrementAndGet();
                        return new Color(still.host, 0, false);
                      }));
            }
          });
    }
    seekers.run();
    assertEquals(keys, made.get());
    Set<Color> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    for (List<Color> mine : found) {
      assertEquals(found.get(0), mine);
      distinct.addAll(mine);
    }
    assertEquals(keys, distinct.size());
  }

  private Color make(long key) {
    return table.get(key, k -> new Color(still.host, 0, false));
  }

  private void collect(int expectedSize) {
    WeakReference<Object> canary = new WeakReference<>(new Object());
    await().until(() -> isCleared(canary) && table.size() == expectedSize);
  }

  private static boolean isCleared(WeakReference<?> reference) {
    System.gc();
    return reference.get() == null;
  }
}
