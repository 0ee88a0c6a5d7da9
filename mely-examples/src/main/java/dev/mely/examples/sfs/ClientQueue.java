package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.nio.Nio;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The queue of one client's file operations: one at a time per connection of the client. Limits how
 * many of them occupy helper threads, so that other clients always find a thread; the others wait
 * here, in order. Belongs to the default color.
 */
final class ClientQueue {
  /** How many operations of a client may run at a time: one less than there are helper threads. */
  static final int AT_WORK = 3;

  private final Nio nio;
  private final Color color;
  private final Map<Session, Volume.Action> waiting = new LinkedHashMap<>();
  private final Set<Session> atWork = new HashSet<>();

  ClientQueue(Nio nio, Color color) {
    this.nio = nio;
    this.color = color;
  }

  /** Starts an action on a helper thread, or queues it. */
  void call(Session session, Volume.Action action) {
    try {
      waiting.put(session, action);
    } catch (Throwable t) {
      session.unanswered(t);
    }
    next();
  }

  /** An action is complete: starts the next one. */
  void over(Session session) {
    atWork.remove(session);
    next();
  }

  /**
   * The connection has ended.
   *
   * @return whether its operation was still waiting, and will not run
   */
  boolean drop(Session session) {
    return waiting.remove(session) != null;
  }

  private void next() {
    while (atWork.size() < AT_WORK && !waiting.isEmpty()) {
      Map.Entry<Session, Volume.Action> first = waiting.entrySet().iterator().next();
      Session session = first.getKey();
      Volume.Action action = first.getValue();
      waiting.remove(session);
      try {
        atWork.add(session);
        nio.call(() -> Volume.attempt(action), color, session.done());
      } catch (Throwable t) {
        atWork.remove(session);
        session.unanswered(t);
      }
    }
  }
}
