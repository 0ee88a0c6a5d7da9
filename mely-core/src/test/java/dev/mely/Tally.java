package dev.mely;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** What ran and what was rejected. */
final class Tally extends Handler<Integer> {
  final AtomicInteger ran = new AtomicInteger();
  final ConcurrentLinkedQueue<Integer> rejected = new ConcurrentLinkedQueue<>();

  @Override
  public void handle(Integer event) {
    ran.incrementAndGet();
  }

  @Override
  protected void rejected(Integer event) {
    rejected.add(event);
  }
}
