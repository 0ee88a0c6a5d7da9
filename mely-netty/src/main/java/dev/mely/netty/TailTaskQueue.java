package dev.mely.netty;

import java.util.AbstractQueue;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Takes the place of the queues of Netty's event loop. Always empty: a tail task that is offered
 * becomes an event of the color, see {@link ColorTasks}.
 */
final class TailTaskQueue extends AbstractQueue<Runnable> {
  /** The queue of ordinary tasks: Netty offers only what would wake its thread; it is dropped. */
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
