package dev.mely.netty;

import java.util.AbstractQueue;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the queues of Netty's event loop. Always empty: what is offered waits in the color,
 * see {@link ColorTasks}.
 */
final class TailTaskQueue extends AbstractQueue<Runnable> {
  /** For the queue of ordinary tasks, which gets nothing but what is to wake up a thread. */
  static final TailTaskQueue NONE = new TailTaskQueue();

  private @Nullable ColorTasks loop;

  /** Set before the loop is handed out. */
  void bind(ColorTasks newLoop) {
    loop = newLoop;
  }

  @Override
  public boolean offer(Runnable task) {
    ColorTasks bound = loop;
    if (bound != null) {
      bound.executeTail(task);
    }
    return true;
  }

  @Override
  public @Nullable Runnable poll() {
    return null;
  }

  @Override
  public @Nullable Runnable peek() {
    return null;
  }

  @Override
  public Iterator<Runnable> iterator() {
    return Collections.emptyIterator();
  }

  @Override
  public int size() {
    return 0;
  }
}
