package dev.mely.netty.memory;

/** What tests of whole groups ask the gates of a working set. */
public final class Gates {
  private Gates() {}

  /** How many have put off a read so far. */
  public static int opened(WorkingSet set) {
    return set.gates().size();
  }

  /** How many reads wait. */
  public static int waiting(WorkingSet set) {
    return set.gates().stream().mapToInt(ReadGate::waiting).sum();
  }

  /** How many have read although there was no room. */
  public static long exceptions(WorkingSet set) {
    return set.gates().stream().mapToLong(ReadGate::exceptions).sum();
  }

  /** How long the first in line waits at the gates to come, in milliseconds. */
  public static void patience(WorkingSet set, int millis) {
    set.patience(millis);
  }
}
