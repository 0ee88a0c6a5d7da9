package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.spi.Poller;
import dev.mely.topology.Pinning;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class SystemHostTest {
  private final SystemHost host = new SystemHost(Thread::new, Pinning.none(), new int[] {0});
  private final Poller poller = host.newPoller(0);

  @Test
  void pollWithoutWaitingReturns() throws Exception {
    poller.poll(0);
  }

  @Test
  void wakeupBeforeTheWaitIsKept() throws Exception {
    poller.wakeup();
    poller.wakeup();
    poller.poll(Long.MAX_VALUE);
  }

  @Test
  void wakeupIsKeptAcrossALookThatDoesNotWait() throws Exception {
    poller.wakeup();
    poller.poll(0);
    poller.poll(Long.MAX_VALUE);
  }

  /** Wherever that of the virtual machine begins: zero stands for a time that is long ago. */
  @Test
  void clockBeginsAnHourAboveZero() {
    long hour = Duration.ofHours(1).toNanos();
    long now = host.nanos();
    Duration sinceStart = Duration.ofMillis(ManagementFactory.getRuntimeMXBean().getUptime());
    assertTrue(now >= hour, () -> "it is " + now);
    assertTrue(now - hour <= sinceStart.plusMinutes(1).toNanos(), () -> "it is " + now);
  }

  @Test
  void waitEndsByItself() throws Exception {
    poller.poll(1);
    poller.poll(1_000_000);
  }

  @Test
  void everyWakeupEndsAWait() throws Exception {
    int rounds = 20_000;
    PaddedInt sent = new PaddedInt();
    PaddedInt seen = new PaddedInt();
    new Threads()
        .add(
            () -> {
              while (seen.getVolatile() < rounds) {
                if (sent.getVolatile() == seen.getVolatile()) {
                  poller.poll(Long.MAX_VALUE);
                } else {
                  seen.getAndAdd(1);
                }
              }
            })
        .add(
            () -> {
              for (int i = 0; i < rounds; i++) {
                sent.getAndAdd(1);
                poller.wakeup();
                while ((i & 3) == 0 && seen.getVolatile() <= i) {
                  Thread.onSpinWait();
                }
              }
            })
        .run();
    assertEquals(rounds, seen.getVolatile());
  }

  /** Else each later wait would return at once. */
  @Test
  void interruptEndsAWaitAndIsForgotten() throws Exception {
    Thread.currentThread().interrupt();
    poller.poll(Long.MAX_VALUE);
    assertFalse(Thread.currentThread().isInterrupted());
  }

  @Test
  void randomNumbersStayInRange() {
    boolean[] drawn = new boolean[4];
    for (int i = 0; i < 1_000; i++) {
      drawn[host.random(4)] = true;
    }
    for (boolean number : drawn) {
      assertTrue(number);
    }
  }

  @Test
  void factoryThatMakesNoThreadIsRefused() {
    SystemHost broken = new SystemHost(task -> null, Pinning.none(), new int[] {0, 1});
    StillMely still = new StillMely(1, StealPolicy.OFF);
    Exception e =
        assertThrows(IllegalStateException.class, () -> broken.newThread(still.worker(0), 1));
    assertTrue(e.getMessage().contains("core 1"), e.getMessage());
  }
}
