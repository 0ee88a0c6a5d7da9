package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The queue of a core of {@link CeilingContestant}. Its own worker adds to a plain growing ring;
 * all other threads add to a second one, whose places they claim with one atomic operation. Both
 * are FIFO.
 */
final class Ring extends Padding {
  /** How many jobs of one ring run before it is the other's turn. */
  private static final int TURN = 64;

  /** Places for other threads' jobs: more than any benchmark has pending. */
  private static final int INBOX = 1 << 17;

  private static final int OWN = 1 << 10;

  private static final VarHandle PLACES = MethodHandles.arrayElementVarHandle(Job[].class);

  /** How many places other threads have claimed; padded against the owner's fields. */
  private static final class Claims extends Padding {
    static final VarHandle CLAIMED = field(MethodHandles.lookup(), "claimed", long.class);

    @SuppressWarnings("UnusedVariable") // through its VarHandle
    private long claimed;
  }

  private final Thread owner;
  private final Claims claims = new Claims();
  private final @Nullable Job[] inbox = new Job[INBOX];

  // Only the owner.
  private @Nullable Job[] own = new Job[OWN];
  private int first;
  private int size;
  private long taken;

  /**
   * @param owner the only thread that runs its jobs
   */
  Ring(Thread owner) {
    this.owner = owner;
  }

  /** Any thread. */
  void add(Job job) {
    if (Thread.currentThread() == owner) {
      addOwn(job);
    } else {
      int place = (int) ((long) Claims.CLAIMED.getAndAdd(claims, 1L) & (INBOX - 1));
      if (PLACES.getAcquire(inbox, place) != null) {
        throw new IllegalStateException("more than " + INBOX + " jobs wait for one core");
      }
      PLACES.setRelease(inbox, place, job);
    }
  }

  private void addOwn(Job job) {
    if (size == own.length) {
      Job[] larger = new Job[2 * size];
      System.arraycopy(own, first, larger, 0, size - first);
      System.arraycopy(own, 0, larger, size - first, first);
      own = larger;
      first = 0;
    }
    own[(first + size++) & (own.length - 1)] = job;
  }

  /** Runs some jobs of both rings. Returns whether there were any. Only the owner. */
  boolean runTurn() {
    int ran = 0;
    while (ran < TURN && size > 0) {
      int at = first;
      Job job = Objects.requireNonNull(own[at]);
      own[at] = null;
      first = (at + 1) & (own.length - 1);
      size--;
      job.run();
      ran++;
    }
    for (int i = 0; i < TURN; i++) {
      int place = (int) (taken & (INBOX - 1));
      Job job = (Job) PLACES.getAcquire(inbox, place);
      if (job == null) {
        break;
      }
      PLACES.setRelease(inbox, place, null);
      taken++;
      job.run();
      ran++;
    }
    return ran > 0;
  }
}
