package dev.mely;

import org.jspecify.annotations.Nullable;

/**
 * Producers that wait for room, first come, first served. A doubly linked list through the
 * producers: the thread that makes room may have no memory left, and a producer that is interrupted
 * leaves from the middle. Not thread-safe.
 */
final class ProducerLine {
  private @Nullable WaitingProducer first;
  private @Nullable WaitingProducer last;

  @Nullable WaitingProducer first() {
    return first;
  }

  void addLast(WaitingProducer waiter) {
    waiter.line = this;
    waiter.previous = last;
    if (last == null) {
      first = waiter;
    } else {
      last.next = waiter;
    }
    last = waiter;
  }

  void addFirst(WaitingProducer waiter) {
    waiter.line = this;
    waiter.next = first;
    if (first == null) {
      last = waiter;
    } else {
      first.previous = waiter;
    }
    first = waiter;
  }

  void remove(WaitingProducer waiter) {
    WaitingProducer before = waiter.previous;
    WaitingProducer behind = waiter.next;
    if (before == null) {
      first = behind;
    } else {
      before.next = behind;
    }
    if (behind == null) {
      last = before;
    } else {
      behind.previous = before;
    }
    waiter.previous = null;
    waiter.next = null;
    waiter.line = null;
  }
}
