package dev.mely;

/**
 * What one worker counts. Plain fields, written by the worker alone; a reader sees recent values.
 */
final class Counters extends PadBefore {
  long events;
  long errors;
  long batches;
  long stealsTried;
  long stealsWon;
  long stolenNanos;
  long stealNanos;
  long takeovers;
  long polls;
  long parks;
  long wakeups;
}
