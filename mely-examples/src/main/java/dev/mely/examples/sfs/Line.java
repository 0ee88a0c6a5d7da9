package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.nio.Nio;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The file operations of one client, all its connections together, of which each has one at a time.
 * Only some of them are with the helper threads at a time, so that others find a thread whatever
 * this client asks for; the rest waits here, in its order. Belongs to the default color.
 */
final class Line {
  /** One less than there are helper threads. */
  static final int AT_WORK = 3;

  private final Nio nio;
  private final Color color;
  private final Map<Session, Volume.Action> waiting = new LinkedHashMap<>();
  private final Set<Session> atWork = new HashSet<>();

  Line(Nio nio, Color color) {
    this.nio = nio;
    this.color = color;
  }

  /** Has a helper thread work on files, in its turn. */
  void call(Session session, Volume.Action action) {
    try {
      waiting.put(session, action);
    } catch (Throwable t) {
      session.unanswered(t);
    }
    next();
  }

  /** The result has come. */
  void over(Session session) {
    atWork.remove(session);
    next();
  }

  /**
   * The connection has ended.
   *
   * @return whether its operation was still waiting, and will not be begun
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
