package dev.mely;

import java.util.SplittableRandom;

/** The virtual world of a {@link Schedule}: memory and pollers fail now and then, by its seed. */
final class SimHost extends VirtualHost {
  /** Made once: what walks the stack takes time. */
  static final Error FAULT = new OutOfMemoryError("as planned");

  private final SplittableRandom faults;

  /** One step or call of a poller in so many fails; 0: none does. */
  private final int faultEvery;

  private boolean mayPause;

  /**
   * @param alone whether the test itself plans what fails
   */
  SimHost(long seed, int cores, boolean alone) {
    super(seed, cores);
    faults = new SplittableRandom(~seed);
    faultEvery = seed % 4 == 2 && !alone ? 2 << faults.nextInt(6) : 0;
  }

  /** Whether what comes next fails. */
  boolean fails() {
    return faultEvery != 0 && faults.nextInt(faultEvery) == 0;
  }

  /** Two workers may meet at a poller, since they can stop inside a step; or one step fails. */
  void allowPauses() {
    mayPause = true;
  }

  @Override
  void mayFail() {
    if (fails()) {
      throw FAULT;
    }
  }

  /** Says so now and then, right or wrong: it is a hint. */
  @Override
  public boolean isWaiting(int core) {
    return random(4) == 0;
  }

  @Override
  public void pause(long nanos) {
    if (!mayPause && faultEvery == 0) {
      throw new AssertionError("two workers in one poller, though each looks in one step");
    }
    super.pause(nanos);
  }

  /** Parks a strand of a {@link Schedule} with stops; elsewhere nobody parks. */
  @Override
  public Parker newParker() {
    return new StrandParker();
  }

  private static final class StrandParker implements Parker {
    private boolean woken;

    @Override
    public void park() {
      Strand.enter(this);
      while (!woken) {
        Strand.await(this);
      }
      woken = false;
      Strand.exit(this);
    }

    @Override
    public void unpark() {
      Strand.enter(this);
      woken = true;
      Strand.wakeAll(this);
      Strand.exit(this);
    }
  }
}
