package dev.mely.examples.sfs;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.nio.Nio;
import dev.mely.nio.Operation;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;

/**
 * The file operations of one client, all its connections together. Only some of them are with the
 * helper threads at a time, so that others find a thread whatever this client asks for; the rest
 * waits here, in its order. Belongs to the default color.
 */
final class Line {
  /** One less than there are helper threads. */
  static final int AT_WORK = 3;

  private final Nio nio;
  private final Color color;
  private final ArrayDeque<Call> waiting = new ArrayDeque<>();
  private final Set<Caller> atWork = new HashSet<>();

  private record Call(Volume.Action action, Caller caller) {}

  /** Waits for one operation at a time. */
  interface Caller {
    /** Takes the result, in the default color, and tells the line that the operation is over. */
    Handler<Operation<Answer>> done();

    /** The operation could not be handed to a helper thread; there will be no result. */
    void unanswered(Throwable why);
  }

  Line(Nio nio, Color color) {
    this.nio = nio;
    this.color = color;
  }

  /** Has a helper thread work on files, in its turn. */
  void call(Volume.Action action, Caller caller) {
    try {
      waiting.add(new Call(action, caller));
    } catch (Throwable t) {
      caller.unanswered(t);
    }
    next();
  }

  /** The result has come. */
  void over(Caller caller) {
    atWork.remove(caller);
    next();
  }

  /**
   * The caller has gone.
   *
   * @return whether its operation was still waiting, and will not be begun
   */
  boolean drop(Caller caller) {
    return waiting.removeIf(call -> call.caller() == caller);
  }

  private void next() {
    while (atWork.size() < AT_WORK && !waiting.isEmpty()) {
      Call call = waiting.remove();
      try {
        atWork.add(call.caller());
        nio.call(() -> Volume.attempt(call.action()), color, call.caller().done());
      } catch (Throwable t) {
        atWork.remove(call.caller());
        call.caller().unanswered(t);
      }
    }
  }
}
