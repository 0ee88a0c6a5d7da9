package dev.mely.stage;

/** What a stage has done on one core with an object: it allocates it, or frees it. */
final class ObjectTally {
  final String object;

  /** Which it was of the stage's objects. */
  final int order;

  final Count times = new Count();
  final Count largest = new Count();
  final Count mostInOneRun = new Count();

  /** Of whoever counts: the run of the stage for which {@link #inRun} holds. */
  private long run = -1;

  private int inRun;

  ObjectTally(String object, int order) {
    this.object = object;
    this.order = order;
  }

  void note(long bytes, long ofRun) {
    if (run != ofRun) {
      run = ofRun;
      inRun = 0;
    }
    inRun++;
    times.add(1);
    largest.raiseTo(bytes);
    mostInOneRun.raiseTo(inRun);
  }
}
