package dev.mely;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Colors by number and by key (requirement B11). */
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
    Reference<?> entry = (Reference<?>) entries().values().iterator().next();
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
  }

  @Test
  void concurrentLookupsAgree() throws InterruptedException {
    int keys = 2_000;
    int threads = 4;
    List<List<Color>> found = new ArrayList<>();
    Threads seekers = new Threads();
    for (int t = 0; t < threads; t++) {
      List<Color> mine = new ArrayList<>();
      found.add(mine);
      seekers.add(
          () -> {
            for (int key = 0; key < keys; key++) {
              mine.add(make(key));
            }
          });
    }
    seekers.run();
    Set<Color> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
    for (List<Color> mine : found) {
      assertEquals(found.get(0), mine);
      distinct.addAll(mine);
    }
    assertEquals(keys, distinct.size());
  }

  // ---- By key

  /** A key that counts how often it is asked, and fails if it is told to. */
  private static final class Key {
    final int hash;
    boolean hashFails;
    boolean equalsFails;

    Key(int hash) {
      this.hash = hash;
    }

    @Override
    public int hashCode() {
      if (hashFails) {
        throw new IllegalStateException("hash");
      }
      return hash;
    }

    @Override
    public boolean equals(Object other) {
      if (equalsFails) {
        throw new IllegalStateException("equals");
      }
      return other instanceof Key key && key.hash == hash;
    }
  }

  @Test
  void equalKeysAreOneColor() {
    Color color = still.mely.color("user " + still.scheduler.cores());
    assertSame(color, still.mely.color("user " + still.scheduler.cores()));
    assertNotSame(color, still.mely.color("user 5"));
    assertNotSame(still.mely.color(List.of(1)), still.mely.color(List.of(2)));
    int first = still.mely.color(new Key(6)).core();
    assertEquals(6 % 4, first, "by the hash");
    assertEquals(Integer.toUnsignedLong(-1) % 4, still.mely.color(new Key(-1)).core());
  }

  /** A client that chooses its keys must not make lookups slow: they are sorted, not searched. */
  @Test
  void keysWhoseHashesCollideAreSorted() throws ReflectiveOperationException {
    List<Color> held = new ArrayList<>();
    for (long i = 0; i < 3_000; i++) {
      held.add(make((i << 32) | i)); // all of them have the hash 0
      held.add(make(colliding(i)));
    }
    for (long i = 0; i < 3_000; i++) {
      assertSame(held.get((int) (2 * i)), make((i << 32) | i));
      assertSame(held.get((int) (2 * i) + 1), make(colliding(i)));
    }
    assertEquals(held.size(), table.size());
    List<Comparable<Object>> keys = new ArrayList<>();
    for (Object entry : entries().keySet()) {
      @SuppressWarnings("unchecked") // each is compared with its own class, as the map does
      Comparable<Object> comparable = (Comparable<Object>) entry;
      keys.add(comparable);
    }
    int unordered = 0;
    for (Comparable<Object> key : keys) {
      unordered += keys.get(0) != key && keys.get(0).compareTo(key) == 0 ? 1 : 0;
    }
    assertEquals(3_000, unordered, "those of the other class");
    Reference.reachabilityFence(held);
  }

  /** Strings of one hash: "Aa" and "BB" have the same. */
  private static String colliding(long number) {
    StringBuilder text = new StringBuilder();
    for (int bit = 0; bit < 12; bit++) {
      text.append((number >> bit & 1) == 0 ? "Aa" : "BB");
    }
    return text.toString();
  }

  private Map<?, ?> entries() throws ReflectiveOperationException {
    Field field = ColorTable.class.getDeclaredField("entries");
    field.setAccessible(true);
    return (Map<?, ?>) field.get(table);
  }

  /** Else the lookup of a live color could have to remove a million others, in a handler. */
  @Test
  void aLookupRemovesNoMoreThanSome() throws ReflectiveOperationException {
    for (int i = 0; i < 1_000; i++) {
      make(i);
    }
    for (Object entry : List.copyOf(entries().values())) {
      ((Reference<?>) entry).clear();
      assertTrue(((Reference<?>) entry).enqueue());
    }
    Color held = make(2_000);
    int left = entries().size();
    assertTrue(left > 900 && left < 1_000, () -> "entries: " + left);
    assertEquals(1, table.size());
    Reference.reachabilityFence(held);
  }

  /** A number that has been boxed on its way is still that number. */
  @Test
  void integralKeysAreNumbers() {
    Color seven = still.mely.color(7);
    for (Object key : new Object[] {7L, 7, (short) 7, (byte) 7}) {
      assertSame(seven, still.mely.color(key), key.getClass().getName());
    }
    assertSame(still.mely.color(-1), still.mely.color((Object) (byte) -1));
    for (Object key : new Object[] {7.0, "7", '\7', BigInteger.valueOf(7)}) {
      assertNotSame(seven, still.mely.color(key), key.getClass().getName());
    }
  }

  @Test
  void noKeyIsRefusedByName() {
    Object none = null;
    assertEquals(
        "key", assertThrows(NullPointerException.class, () -> still.mely.color(none)).getMessage());
  }

  @Test
  void aKeyThatThrowsIsTheCallersAffairAndIsNotKept() {
    Key held = new Key(1);
    Color color = make(held);
    Key bad = new Key(1);
    bad.hashFails = true;
    assertEquals("hash", assertThrows(IllegalStateException.class, () -> make(bad)).getMessage());
    bad.hashFails = false;
    bad.equalsFails = true;
    assertEquals("equals", assertThrows(IllegalStateException.class, () -> make(bad)).getMessage());
    assertEquals(1, table.size());
    assertSame(color, make(new Key(1)));
    Reference.reachabilityFence(held);
  }

  /** Neither does a key that begins to throw disturb the removal of others. */
  @Test
  void aKeyGoesWithItsColorWithoutBeingAsked() {
    Key key = new Key(1);
    WeakReference<Key> told = new WeakReference<>(key);
    make(key);
    Key neighbor = new Key(1 + (1 << 16));
    Color stays = make(neighbor);
    key.hashFails = true;
    key.equalsFails = true;
    key = null;
    collect(1);
    await().until(() -> isCleared(told));
    assertSame(stays, make(neighbor));
  }

  @Test
  void aColorThatSomebodyHoldsKeepsItsKey() {
    Color color = make(new Key(3));
    collect(1);
    assertSame(color, make(new Key(3)));
    Reference.reachabilityFence(color);
  }

  private Color make(Object key) {
    return table.get(ColorTable.key(key), k -> new Color(still.host, 0, false));
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
