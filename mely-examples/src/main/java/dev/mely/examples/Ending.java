package dev.mely.examples;

import java.time.Duration;

/** The clean end of an application that is interrupted. */
public final class Ending {
  private Ending() {}

  /**
   * Runs an action when the process is told to end, by Ctrl-C or SIGTERM.
   *
   * @param name of the application
   * @param longest how long the action takes at most; 15 seconds later the process ends in any
   *     case: a wait without a deadline, or a full pipe on standard output, must not hold it
   * @param stop the action
   */
  public static void onSignal(String name, Duration longest, Runnable stop) {
    Runnable hook =
        () -> {
          haltAfter(name, longest.plusSeconds(15));
          stop.run();
        };
    Runtime.getRuntime().addShutdownHook(new Thread(hook, name + "-shutdown"));
  }

  private static void haltAfter(String name, Duration limit) {
    Thread last =
        new Thread(
            () -> {
              try {
                Thread.sleep(limit.toMillis());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              Runtime.getRuntime().halt(1);
            },
            name + "-last-resort");
    last.setDaemon(true);
    last.start();
  }
}
