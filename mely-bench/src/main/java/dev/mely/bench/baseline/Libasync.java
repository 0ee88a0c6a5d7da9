package dev.mely.bench.baseline;

import dev.mely.bench.baseline.LibasyncColor.Slot;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The runtime of libasync-smp (USENIX 2003, section 3), as Mely's paper measured it (ICDCS 2010,
 * section II): per core one flat queue, one spinlock and one thread; colors find their core in a
 * map of 1024 slots, so that congruent colors move together and are one color to a thief.
 *
 * <p>A worker prefers an event of the color that it has just run, if one is among the first {@value
 * #AFFINITY} (requirement A4). A thief scans the victim's queue, under the victim's lock, for the
 * first color that is not running and has less than half of the events, and then for all its
 * events, whose number a counter tells.
 */
public final class Libasync extends Baseline<LibasyncColor, Slot, LibasyncCore> {
  private static final int SLOTS = 1024;
  private static final int AFFINITY = 5;

  /**
   * Mely's batch size. The paper has no bound, but a color that registers itself must not starve
   * the others.
   */
  private static final int MAX_IN_A_ROW = 10;

  private final List<Slot> map = new ArrayList<>();

  /** How many colors have been made per core. */
  private final AtomicIntegerArray made;

  private final int slots;

  /**
   * Starts the workers.
   *
   * @param stealing whether idle cores steal
   * @param cores number of workers, 1 to 256
   * @param pinned whether each has a CPU of its own
   */
  public Libasync(boolean stealing, int cores, boolean pinned) {
    this(stealing, SLOTS, cores, new Crew(cores, pinned));
  }

  /**
   * Starts the workers, or makes a runtime for the simulator.
   *
   * @param stealing whether idle cores steal
   * @param slots elements of the map from colors to cores; Mely's paper uses 64 K, so that each
   *     color moves by itself
   * @param cores number of workers, 1 to 256
   * @param platform threads, or {@link VirtualCores}
   */
  public Libasync(boolean stealing, int slots, int cores, Platform platform) {
    super(stealing, platform);
    this.slots = slots;
    this.made = new AtomicIntegerArray(cores);
    for (int i = 0; i < cores; i++) {
      this.cores.add(new LibasyncCore(i, platform.newLock(i)));
    }
    for (int i = 0; i < slots; i++) {
      // The first slot of each core is for pinned colors, as color zero is for select in libasync.
      map.add(new Slot(this.cores.get(i % cores), i < cores));
    }
    start((a, b) -> 0);
  }

  // ---- Colors

  /** Congruent to the core modulo the number of cores, so that it starts there. */
  @Override
  public LibasyncColor newColor(int core) {
    int perRound = (slots - 1 - core) / cores(); // slots of this core, without the pinned one
    int n = made.getAndIncrement(core);
    int number = n / perRound * slots + core + cores() * (1 + n % perRound);
    return color(number);
  }

  /** The color of that number. */
  LibasyncColor color(int number) {
    return new LibasyncColor(map.get(number % slots));
  }

  @Override
  public LibasyncColor newPinnedColor(int core) {
    return color(Objects.checkIndex(core, cores()));
  }

  @Override
  public void moveTo(LibasyncColor color, int core) {
    Slot slot = color.slot;
    if (slot.core == cores.get(core)) {
      return;
    }
    LibasyncCore old = lockCore(slot);
    LibasyncColor running = old.running;
    if (slot.pending == 0 && (running == null || running.slot != slot)) {
      slot.core = cores.get(core);
    }
    old.lock.unlock();
  }

  // ---- Registration

  @Override
  public void register(LibasyncColor color, Job job) {
    LibasyncCore core = lockCore(color.slot);
    job.color = color;
    core.append(job);
    core.counted(color.slot);
    core.lock.unlock();
  }

  /** Registers a job ahead of all jobs from {@link #register}, of any color (requirement A3). */
  public void cpucb(LibasyncColor color, Job job) {
    LibasyncCore core = lockCore(color.slot);
    job.color = color;
    core.appendCpucb(job);
    core.counted(color.slot);
    core.lock.unlock();
  }

  /** Locks the core of a slot, again if the slot moves during the wait for the lock. */
  private static LibasyncCore lockCore(Slot slot) {
    while (true) {
      LibasyncCore core = slot.core;
      core.lock.lock();
      if (slot.core == core) {
        return core;
      }
      core.lock.unlock();
    }
  }

  // ---- Running

  /** An event of the last color if one is near the head, else the first event. */
  @Override
  @Nullable Job next(LibasyncCore core) {
    LibasyncColor last = core.running;
    Job before = null;
    Job job = core.head;
    if (job == null) {
      core.running = null;
      return null;
    }
    Job first = job;
    int looks = core.inARow < MAX_IN_A_ROW ? AFFINITY : 0;
    for (int i = 0; i < looks && job != null; i++) {
      if (job.color == last) {
        core.inARow++;
        return take(core, before, job);
      }
      before = job;
      job = job.next;
    }
    core.inARow = 1;
    return take(core, null, first);
  }

  private static Job take(LibasyncCore core, @Nullable Job before, Job job) {
    LibasyncColor color = Objects.requireNonNull(job.color);
    core.remove(before, job);
    core.uncounted(color.slot);
    core.running = color;
    return job;
  }

  @Override
  boolean runs(LibasyncCore core) {
    return core.running != null;
  }

  @Override
  boolean isIn(LibasyncCore core, Slot stolen, @Nullable Job next) {
    return next != null && Objects.requireNonNull(next.color).slot == stolen;
  }

  // ---- Stealing

  @Override
  boolean mayHavePrey(LibasyncCore victim) {
    return victim.load.get() >= 2;
  }

  @Override
  @Nullable Slot take(LibasyncCore thief, LibasyncCore victim) {
    Slot slot = victim.colors >= 2 ? chooseColor(victim) : null;
    if (slot != null) {
      migrate(slot, victim, thief);
    }
    return slot;
  }

  /** {@code choose_color_to_steal}. */
  private @Nullable Slot chooseColor(LibasyncCore victim) {
    LibasyncColor running = victim.running;
    int scanned = 0;
    Slot chosen = null;
    for (Job job = victim.head; job != null && chosen == null; job = job.next) {
      scanned++;
      Slot slot = Objects.requireNonNull(job.color).slot;
      boolean free = !slot.pinned && (running == null || slot != running.slot);
      if (free && 2 * slot.pending < victim.size) {
        chosen = slot;
      }
    }
    platform.scanned(scanned);
    return chosen;
  }

  /** {@code construct_event_set} and {@code migrate}. */
  private void migrate(Slot slot, LibasyncCore victim, LibasyncCore thief) {
    platform.migrating();
    slot.core = thief;
    int left = slot.pending;
    victim.colors--;
    victim.size -= left;
    victim.load.set(victim.size);
    thief.colors++;
    thief.size += left;
    thief.load.set(thief.size);
    int scanned = 0;
    Job before = null;
    Job job = victim.head;
    while (job != null && left > 0) {
      scanned++;
      Job after = job.next;
      if (Objects.requireNonNull(job.color).slot == slot) {
        victim.remove(before, job);
        thief.append(job);
        left--;
      } else {
        before = job;
      }
      job = after;
    }
    platform.scanned(scanned);
  }
}
