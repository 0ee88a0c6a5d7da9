package dev.mely.examples.sws;

/** The threads that read the disk for all connections. */
final class Disk implements AutoCloseable {
  private static final int FILE_THREADS = 4;
  static final int LISTING_THREADS = 2;

  /** How many listings may wait: each may take tens of milliseconds. */
  private static final int MAX_LISTINGS = 256;

  /** How long one access may take; a network mount may need seconds. */
  private static final long PATIENCE_MILLIS = 5_000;

  /** Find and open files. */
  final DiskThreads files;

  /** List directories. */
  final DiskThreads listings;

  /** Reads changed files again; each file is queued at most once. */
  final DiskThreads refreshes;

  /**
   * Starts the threads.
   *
   * @param waiting how many requests may wait for files
   */
  Disk(int waiting) {
    files = new DiskThreads("sws-disk", FILE_THREADS, waiting, PATIENCE_MILLIS);
    listings = new DiskThreads("sws-listing", LISTING_THREADS, MAX_LISTINGS, PATIENCE_MILLIS);
    refreshes = new DiskThreads("sws-refresh", 1, PrebuiltReader.MAX_VISITED, PATIENCE_MILLIS);
  }

  @Override
  public void close() {
    files.close();
    listings.close();
    refreshes.close();
  }
}
