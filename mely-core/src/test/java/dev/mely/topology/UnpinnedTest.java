package dev.mely.topology;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** A pin is undone for an action, and no longer; what is not pinned is left alone. */
class UnpinnedTest {
  private static final BitSet PROCESS = AllowedCpus.processMask();
  private static final int CPU = AllowedCpus.system().cpus()[0];

  private final List<String> log = new ArrayList<>();

  @BeforeEach
  void severalCpus() {
    assumeTrue(PROCESS.cardinality() > 1, "needs Linux and two CPUs");
  }

  @Test
  void theActionHasTheCpusOfTheProcess() throws Exception {
    inPinnedThread(
        () -> {
          assertEquals(PROCESS, Pinning.unpinned(UnpinnedTest::mask));
          assertEquals(one(CPU), mask());
          return null;
        });
  }

  @Test
  void theActionThatHasNoResultToo() throws Exception {
    inPinnedThread(
        () -> {
          List<BitSet> seen = new ArrayList<>();
          Pinning.unpinned(() -> assertTrue(seen.add(mask())));
          assertEquals(List.of(PROCESS), seen);
          assertEquals(one(CPU), mask());
          return null;
        });
  }

  @Test
  void theThreadIsPinnedAgainWhateverIsThrown() throws Exception {
    inPinnedThread(
        () -> {
          for (Throwable failure :
              List.of(new IOException("made up"), new OutOfMemoryError("made up"))) {
            Pinning.Action<Object, Throwable> fails =
                () -> {
                  throw failure;
                };
            assertSame(failure, assertThrows(Throwable.class, () -> Pinning.unpinned(fails)));
            assertEquals(one(CPU), mask());
          }
          return null;
        });
  }

  @Test
  void theOuterActionIsStillUnpinnedAfterAnInnerOne() throws Exception {
    inPinnedThread(
        () -> {
          BitSet after =
              Pinning.unpinned(
                  () -> {
                    assertEquals(PROCESS, Pinning.unpinned(UnpinnedTest::mask));
                    return mask();
                  });
          assertEquals(PROCESS, after);
          assertEquals(one(CPU), mask());
          return null;
        });
  }

  @Test
  void aThreadThatWasNeverPinnedRunsTheAction() {
    assertEquals(PROCESS, Pinning.unpinned(UnpinnedTest::mask));
    assertEquals("done", Pinning.unpinned(() -> "done"));
    assertEquals(PROCESS, mask());
  }

  /** What a pinned thread starts has inherited the pin, and starts others. */
  @Test
  void anInheritedPinIsUndoneToo() throws Exception {
    inPinnedThread(
        () ->
            inThread(
                () -> {
                  assertEquals(one(CPU), mask());
                  assertEquals(PROCESS, Pinning.unpinned(UnpinnedTest::mask));
                  return null;
                }));
  }

  @Test
  void aThreadMadeWithItIsNotPinnedWhoeverStartsIt() throws Exception {
    BitSet seen =
        inPinnedThread(
            () -> {
              FutureTask<BitSet> task = new FutureTask<>(UnpinnedTest::mask);
              Thread thread = new Thread(() -> Pinning.unpinned(task));
              thread.start();
              return task.get();
            });
    assertEquals(PROCESS, seen);
  }

  /** Somebody else's confinement, to a CPU that nothing was pinned to, or to several. */
  @Test
  void whatSomethingElseHasConfinedIsLeftAlone() {
    Masks masks = new Masks();
    AffinityPinner pinner = new AffinityPinner(() -> masks, log::add);
    assertTrue(pinner.pin(3));
    masks.now = one(2);
    assertNull(pinner.unpin());
    assertEquals(one(2), masks.now);
    masks.now = CpuList.parse("2-3");
    assertNull(pinner.unpin());
    masks.now = one(3);
    assertEquals(one(3), pinner.unpin());
    assertEquals(PROCESS, masks.now);
    assertEquals(List.of(), log);
  }

  @Test
  void nothingIsLoadedWhereNothingIsPinned() {
    AffinityPinner pinner =
        new AffinityPinner(
            () -> {
              throw new AssertionFailedError("loaded");
            },
            log::add);
    assertNull(pinner.unpin());
    assertFalse(pinner.hasPinned());
    assertEquals(List.of(), log);
  }

  @Test
  void aPinThatCannotBeUndoneIsReported() {
    Masks masks = new Masks();
    AffinityPinner pinner = new AffinityPinner(() -> masks, log::add);
    assertTrue(pinner.pin(3));
    masks.refused = true;
    assertNull(pinner.unpin());
    masks.failure = new IllegalStateException("errno=1");
    assertNull(pinner.unpin());
    String prefix = "Could not undo the pin of a thread for a while: ";
    assertEquals(
        List.of(
            prefix + "the thread is still allowed on CPU 3",
            prefix + "java.lang.IllegalStateException: errno=1"),
        log);
  }

  /** The mask of the process names a CPU that is offline; the thread's own never does. */
  @Test
  void aPinIsRestoredWhereCpusAreOffline() {
    Masks masks = new Masks();
    masks.online = (BitSet) PROCESS.clone();
    masks.online.clear(PROCESS.length() - 1);
    masks.online.set(3);
    AffinityPinner pinner = new AffinityPinner(() -> masks, log::add);
    assertTrue(pinner.pin(3));
    assertEquals(one(3), pinner.unpin());
    assertNotEquals(one(3), masks.now);
    pinner.restore(one(3));
    assertEquals(one(3), masks.now);
    assertEquals(List.of(), log);
  }

  @Test
  void aPinThatCannotBeRestoredIsReported() {
    Masks masks = new Masks();
    AffinityPinner pinner = new AffinityPinner(() -> masks, log::add);
    assertTrue(pinner.pin(3));
    BitSet pin = pinner.unpin();
    assertEquals(one(3), pin);
    masks.failure = new OutOfMemoryError("made up");
    pinner.restore(pin);
    assertEquals(
        List.of(
            "Could not pin a thread to CPU 3 again, going on unpinned: "
                + "java.lang.OutOfMemoryError: made up"),
        log);
  }

  /** A thread's mask that can be set, until told otherwise. */
  private static final class Masks implements AffinityPinner.Calls {
    BitSet now = PROCESS;
    @Nullable BitSet online;
    boolean refused;
    Throwable failure;

    @Override
    public void set(BitSet cpus) {
      if (failure instanceof Error error) {
        throw error;
      } else if (failure instanceof RuntimeException exception) {
        throw exception;
      }
      if (!refused) {
        now = (BitSet) cpus.clone();
        if (online != null) {
          now.and(online);
        }
      }
    }

    @Override
    public BitSet get() {
      return now;
    }
  }

  private static BitSet mask() {
    return new AffinityPinner.OpenHft().get();
  }

  private static BitSet one(int cpu) {
    BitSet set = new BitSet();
    set.set(cpu);
    return set;
  }

  private static <T> T inPinnedThread(Callable<T> call) throws Exception {
    return inThread(
        () -> {
          assumeTrue(Pinning.affinity().pin(CPU), "threads cannot be pinned here");
          return call.call();
        });
  }

  private static <T> T inThread(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    new Thread(task).start();
    return task.get();
  }
}
