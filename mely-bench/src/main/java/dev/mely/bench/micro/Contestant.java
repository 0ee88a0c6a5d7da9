package dev.mely.bench.micro;

/**
 * A runtime that plays rounds of a {@link Load}: an event that runs on one worker registers all
 * events of a round from there; when all have run, it begins the next.
 *
 * <p>That event, the referee, is the last one in the queue. When its turn comes, the worker has run
 * all that was left to it, and only what others have stolen may still be running. The referee then
 * adds up the workers' counts and queues itself again until they are complete. So the events
 * themselves share nothing with each other.
 */
interface Contestant extends AutoCloseable {
  /** What an event does. */
  @FunctionalInterface
  interface Body {
    /**
     * Runs an event.
     *
     * @param event its number in the round
     * @param iterations how long it works, see {@link dev.mely.bench.Work#spin}
     * @param before what the last event on this thread returned
     * @return what the work came to
     */
    long run(int event, int iterations, long before);
  }

  /** Plays rounds, one after the other, and waits until the last one is over. */
  void play(int rounds);

  /** What has been done since the start. */
  Figures figures();

  @Override
  void close();
}
