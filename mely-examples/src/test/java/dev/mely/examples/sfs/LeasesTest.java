package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeasesTest {
  private static final class Holder implements Leases.Holder {
    final List<Long> broken = new ArrayList<>();

    @Override
    public void broken(long lease) {
      broken.add(lease);
    }
  }

  private final AtomicLong clock = new AtomicLong(1000);
  private final Leases leases = new Leases(Duration.ofNanos(100), clock::get);
  private final Holder alice = new Holder();
  private final Holder bob = new Holder();

  @Test
  void allButTheWriterAreCalledBackOnce() {
    long a = leases.grant(alice, "file", clock.get());
    long b = leases.grant(bob, "file", clock.get());
    assertNotEquals(a, b);
    leases.broken("other", bob);
    assertEquals(List.of(), alice.broken);
    clock.incrementAndGet();
    leases.broken("file", bob);
    leases.broken("file", bob);
    assertEquals(List.of(a), alice.broken);
    assertEquals(List.of(), bob.broken);
    assertEquals(1, leases.size());
  }

  @Test
  void aSecondLookExtendsTheLease() {
    long a = leases.grant(alice, "file", clock.get());
    clock.addAndGet(60);
    assertEquals(a, leases.grant(alice, "file", clock.get()));
    clock.addAndGet(60);
    leases.expire();
    assertEquals(1, leases.size());
    leases.broken("file", bob);
    assertEquals(List.of(a), alice.broken);
  }

  @Test
  void whatHasRunOutIsNotCalledBack() {
    leases.grant(alice, "file", clock.get());
    clock.addAndGet(100);
    leases.broken("file", bob);
    assertEquals(List.of(), alice.broken);
    leases.grant(bob, "other", clock.get());
    clock.addAndGet(100);
    leases.expire();
    assertEquals(0, leases.size());
  }

  /** The disk was read before the change, and the answer comes after it. */
  @Test
  void noLeaseOnWhatHasChangedMeanwhile() {
    long asked = clock.get();
    clock.incrementAndGet();
    leases.broken("file", bob);
    clock.incrementAndGet();
    assertEquals(0, leases.grant(alice, "file", asked));
    assertNotEquals(0, leases.grant(alice, "file", clock.get()));
    assertNotEquals(0, leases.grant(alice, "other", asked));
  }

  @Test
  void noLeaseOnALookThatTookTooLong() {
    long asked = clock.get();
    leases.broken("file", bob);
    clock.addAndGet(101);
    leases.expire(); // the change is forgotten
    assertEquals(0, leases.grant(alice, "file", asked));
  }

  @Test
  void oneClientMayHaveSoManyAndNoMore() {
    for (int i = 0; i < Leases.MAX_OF_ONE; i++) {
      assertNotEquals(0, leases.grant(alice, i, clock.get()));
    }
    assertEquals(0, leases.grant(alice, "one more", clock.get()));
    assertNotEquals(0, leases.grant(alice, 7, clock.get()));
    assertNotEquals(0, leases.grant(bob, "one more", clock.get()));
    leases.forget(alice);
    assertEquals(1, leases.size());
  }
}
