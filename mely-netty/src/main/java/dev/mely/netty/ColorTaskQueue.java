package dev.mely.netty;

import java.util.AbstractQueue;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for both task queues of Netty's event loop: always empty, it hands on what it is
 * offered as an event of the color, behind all that are pending.
 */
final class ColorTaskQueue extends AbstractQueue<Runnable> {
  /** Set before the loop is handed out. */
  @SuppressWarnings("NullAway.Init")
  private ColorEventLoop loop;

  void bind(ColorEventLoop newLoop) {
    loop = newLoop;
  }

  @Override
  public boolean offer(Runnable task) {
    loop.execute(task);
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
