package dev.mely.bench.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What is charged, and to whom. */
class MachineTest {
  /** Lines cost 10 within a pair and 100 beyond it; caches 1, 10 and 100 a line; locks 5. */
  private static final String COSTS =
      "{'register':0,'append':0,'pick':0,'run':0,'finish':0,'weighEvent':0,'weighTurn':0,"
          + "'look':0,'claim':0,'park':0,'wake':0,"
          + "'poll':0,'lock':5,'guarded':2,'listRegister':0,'listRun':0,'colorQueue':0,"
          + "'flatSteal':0,'listSteal':0,'scan':0,'eventLines':0,'wakeCall':0,'wakeDelay':0,"
          + "'wakeDelays':[],'betweenInterruptions':0,'interruptions':[],"
          + "'lines':[0,10,10,10,100,100],'inner':1,'shared':10,'memory':100,"
          + "'innerBytes':1024,'sharedBytes':4096}";

  private final Machine machine =
      Machines.make(Machines.PAPER, 8, Costs.fromJson(COSTS.replace('\'', '"')));

  private long spent(int core, Runnable action) {
    machine.enter(core);
    long before = machine.nanos();
    action.run();
    return machine.nanos() - before;
  }

  @Test
  void aLineIsPaidForByWhoLacksIt() {
    Line line = new Line(machine);
    assertEquals(0, spent(0, line::write), "nobody had it");
    assertEquals(0, spent(0, line::write), "it is here");
    assertEquals(10, spent(4, line::read), "from the neighbor");
    assertEquals(0, spent(4, line::read), "there is a copy here");
    assertEquals(10, spent(0, line::write), "the copy must go");
    assertEquals(0, spent(0, line::write));
    assertEquals(100, spent(1, line::write), "from afar");
    assertEquals(100, spent(0, line::read));
    assertEquals(0, spent(Machine.OUTSIDE, line::write), "clients take none of the machine's time");
    assertEquals(4, machine.transfers());
  }

  /** 128 cores are two words of bits. */
  @Test
  void eachOfMoreThan64CoresHasItsOwnCopy() {
    Machine large = Machines.make("one-cache", 128, Costs.fromJson(COSTS.replace('\'', '"')));
    Line line = new Line(large);
    large.enter(0);
    line.write();
    for (int reader : new int[] {3, 67, 64, 127}) {
      assertFalse(line.isAt(reader), "core " + reader);
      large.enter(reader);
      line.read();
      assertTrue(line.isAt(reader), "core " + reader);
    }
    assertEquals(4, large.transfers());
    large.enter(0);
    assertTrue(line.write(), "the copies must go");
    assertFalse(line.isAt(67));
    large.enter(67);
    line.read();
    large.enter(0);
    assertTrue(line.write(), "a single one, too");
  }

  @Test
  void dataIsFastWhereItWasLast() {
    Block block = new Block(128); // two lines
    assertEquals(200, spent(0, () -> machine.touch(block)), "memory");
    assertEquals(2, spent(0, () -> machine.touch(block)), "the inner cache");
    assertEquals(20, spent(4, () -> machine.touch(block)), "the cache that the pair shares");
    assertEquals(200, spent(1, () -> machine.touch(block)), "another cache");
    assertEquals(4, machine.misses());
  }

  @Test
  void cachesForgetWhatWasFilledInFirst() {
    Block block = new Block(512);
    spent(0, () -> machine.touch(block));
    spent(0, () -> machine.touch(new Block(1_024)));
    assertEquals(80, spent(0, () -> machine.touch(block)), "the inner cache is too small for both");
    for (Block other : List.of(new Block(2_048), new Block(2_048))) {
      spent(0, () -> machine.touch(other));
    }
    assertEquals(800, spent(0, () -> machine.touch(block)), "so is the shared one");
  }

  @Test
  void aLockIsWaitedForAndItsLinesComeAlong() {
    assertEquals(5, spent(0, () -> machine.lock(0)));
    machine.clock().spend(50 * Machine.NANO);
    spent(0, () -> machine.unlock(0));
    assertEquals(
        100 + 2 * 100 + 5, spent(1, () -> machine.lock(0)), "its line, and what it guards");
    spent(1, () -> machine.unlock(0));
    assertEquals(2, machine.locks());
  }

  @Test
  void whoFindsALockHeldTriesAgain() {
    spent(0, () -> machine.lock(0));
    machine.clock().spend(50 * Machine.NANO);
    spent(0, () -> machine.unlock(0));
    machine.clock().spend(-20 * Machine.NANO); // another core, whose time is less
    machine.mayRetry(true);
    machine.enter(1);
    assertThrows(Machine.LockHeld.class, () -> machine.lock(0));
    assertEquals(machine.clock().now() + (20 + 100) * Machine.NANO, machine.retryAt());
    machine.mayRetry(false);
    assertEquals(20 + 300 + 5, spent(1, () -> machine.lock(0)), "or waits, where it must");
  }
}
