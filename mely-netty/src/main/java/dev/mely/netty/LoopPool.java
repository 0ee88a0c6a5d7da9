package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the color, and with it the home core, of what comes to the group. Cores take turns.
 *
 * <pre>
 *   a channel with a key        the color of that key, while a channel has it
 *   any other channel           a color of its own: one that a closed channel has left, else new
 *   next()                      one of a fixed number of colors
 * </pre>
 *
 * <p>Colors are used again because libraries keep maps by event loop and never clean them ({@code
 * AddressResolverGroup} and others): this bounds them by the number of channels open at one time
 * (where more than {@value #MAX_FREE} per core close, the rest is left to the garbage collector).
 * What a former channel left behind in the color shares it with the new one, which costs speed at
 * worst.
 *
 * <p>Thread-safe; the locks are held for a push or a pop.
 */
final class LoopPool {
  /** Colors kept for new channels, per core. */
  private static final int MAX_FREE = 1 << 14;

  private final Engine engine;
  private final ColorEventLoop[] shared;
  private final List<Deque<ColorEventLoop>> free = new ArrayList<>();
  private final ConcurrentMap<Object, Keyed> keyed = new ConcurrentHashMap<>();
  private final AtomicInteger nextShared = new AtomicInteger();
  private final AtomicInteger nextCore = new AtomicInteger();

  /**
   * @param engine the running engine
   * @param sharedColors how many colors {@link #next} takes in turn
   */
  LoopPool(Engine engine, int sharedColors) {
    this.engine = engine;
    for (int i = 0; i < engine.cores(); i++) {
      free.add(new ArrayDeque<>());
    }
    shared = new ColorEventLoop[engine.isColored() ? sharedColors : engine.cores()];
    for (int i = 0; i < shared.length; i++) {
      int core = i % engine.cores();
      shared[i] = engine.isColored() ? engine.newLoop(core) : engine.coreLoop(core);
    }
  }

  /** A color for whoever asks for any. */
  ColorEventLoop next() {
    return shared[Math.floorMod(nextShared.getAndIncrement(), shared.length)];
  }

  List<ColorEventLoop> shared() {
    return List.of(shared);
  }

  /** The color of a channel that is about to be registered. */
  ColorEventLoop loopFor(Channel channel, @Nullable ColorAssigner assigner) {
    Object key = assigner == null ? null : assigner.assign(channel);
    if (key != null) {
      return keyed(key, channel);
    }
    int core = takeTurn();
    return engine.isColored() ? own(core) : engine.coreLoop(core);
  }

  private int takeTurn() {
    return Math.floorMod(nextCore.getAndIncrement(), engine.cores());
  }

  private ColorEventLoop own(int core) {
    Deque<ColorEventLoop> left = free.get(core);
    synchronized (left) {
      ColorEventLoop loop = left.pollLast(); // the warmest
      if (loop != null) {
        loop.pooled = false;
        return loop;
      }
    }
    ColorEventLoop loop = engine.newLoop(core);
    loop.reusable = true;
    return loop;
  }

  /** The last channel of a color has gone. In the color. */
  void vacated(ColorEventLoop loop) {
    if (!loop.reusable) {
      return;
    }
    Deque<ColorEventLoop> left = free.get(loop.poller().core());
    synchronized (left) {
      if (!loop.pooled && left.size() < MAX_FREE) {
        loop.pooled = true;
        left.addLast(loop);
      }
    }
  }

  private ColorEventLoop keyed(Object key, Channel channel) {
    Keyed entry =
        keyed.compute(
            key,
            (k, old) -> {
              Keyed e = old;
              if (e == null) {
                int core = takeTurn();
                e = new Keyed(engine.isColored() ? engine.newLoop(core) : engine.coreLoop(core));
              }
              e.channels++;
              return e;
            });
    channel.closeFuture().addListener(future -> releaseLater(key, channel, entry.loop));
    return entry.loop;
  }

  /**
   * A closed channel still has its last events to come: the pipeline hears of the end in a task
   * that {@code close} posts. The key is free after that one, hence the two steps.
   */
  private void releaseLater(Object key, Channel channel, ColorEventLoop loop) {
    EventLoop last = channel.isRegistered() ? channel.eventLoop() : loop;
    try {
      last.execute(() -> last.execute(() -> release(key)));
    } catch (RejectedExecutionException e) {
      release(key); // the group has terminated
    }
  }

  private void release(Object key) {
    keyed.computeIfPresent(key, (k, entry) -> --entry.channels == 0 ? null : entry);
  }

  /** How many keys have a channel. */
  int keys() {
    return keyed.size();
  }

  /** How many colors wait for a channel. */
  int freeColors() {
    int n = 0;
    for (Deque<ColorEventLoop> left : free) {
      synchronized (left) {
        n += left.size();
      }
    }
    return n;
  }

  /** The color of a key. The count is guarded by the map. */
  private static final class Keyed {
    final ColorEventLoop loop;
    int channels;

    Keyed(ColorEventLoop loop) {
      this.loop = loop;
    }
  }
}
