package dev.mely.netty;

import java.util.AbstractQueue;
import java.util.Collections;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Stands in for the task queues of Netty's event loop: always empty, it hands on what it is offered
 * as an event of the color, behind all that are pending.
 */
final class ColorTaskQueue extends AbstractQueue<Runnable> {
  private final ColorEventLoop loop;

  ColorTaskQueue(ColorEventLoop loop) {
    this.loop = loop;
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
