package dev.mely;

import java.util.List;

/**
 * Notes what ran and what was rejected, in order. For one thread: see {@link Tally} for several.
 */
final class Noting extends Handler<Object> {
  private final List<Object> ran;
  private final List<Object> rejected;

  Noting(List<Object> ran, List<Object> rejected) {
    this.ran = ran;
    this.rejected = rejected;
  }

  @Override
  public void handle(Object event) {
    ran.add(event);
  }

  @Override
  protected void rejected(Object event) {
    rejected.add(event);
  }
}
