package dev.mely.stage.recorder;

/** What a stage has done on one core with an object: it allocates it, or frees it. */
final class ObjectTally {
  final String object;

  /** Which it was of the stage's objects. */
  final int order;

  final Count times = new Count();
  final Count largest = new Count();
  final Count mostInOneRun = new Count();

  /** The most that a task had at a time, as far as it was told; 0: it was not. */
  final Count mostHeld = new Count();

  /** The most that a run had allocated at a time and not freed. */
  final Count mostAtOnce = new Count();

  /** How many runs, all but the last, have not freed what they had allocated. */
  private final Count left = new Count();

  /** What the last run has allocated and not freed. */
  private final Count kept = new Count();

  /** Written by the counting thread: the run of the stage for which {@link #inRun} holds. */
  private long run = -1;

  private int inRun;

  ObjectTally(String object, int order) {
    this.object = object;
    this.order = order;
  }

  void note(long bytes, long ofRun) {
    begin(ofRun);
    inRun++;
    times.add(1);
    largest.raiseTo(bytes);
    mostInOneRun.raiseTo(inRun);
    kept.add(1);
    mostAtOnce.raiseTo(kept.get());
  }

  /** The stage that allocates it has freed one. */
  void returned(long ofRun) {
    begin(ofRun);
    kept.add(-1);
  }

  private void begin(long ofRun) {
    if (run != ofRun) {
      run = ofRun;
      inRun = 0;
      if (kept.get() != 0) {
        left.add(1);
        kept.set(0);
      }
    }
  }

  /** Whether each run so far has freed all that it had allocated. */
  boolean isLocal() {
    return left.get() == 0 && kept.get() == 0;
  }
}
