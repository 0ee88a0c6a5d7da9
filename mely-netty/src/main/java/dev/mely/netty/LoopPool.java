package dev.mely.netty;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.netty.util.concurrent.DefaultEventExecutorChooserFactory;
import io.netty.util.concurrent.EventExecutorChooserFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the event loop, and with it the color and the home core, of a channel that is registered
 * with the group. Cores take turns.
 *
 * <pre>
 *   a channel with a key        the color of that key, as long as the key has a channel
 *   accepted, or a server's     a color of its own: from the free list, else new
 *   any other channel           one of a fixed number; shared if none of them is free
 *   next()                      one of that fixed number, in turn
 * </pre>
 *
 * <p>Libraries keep maps by event loop and clean them, if at all, when the loop has terminated:
 * Netty's {@code AddressResolverGroup} keeps a resolver, and that of DNS a socket, for each loop
 * that a client channel was registered with. Three rules keep such maps small:
 *
 * <ul>
 *   <li>Client channels share a fixed number of colors, and take first one that no other client has
 *       now.
 *   <li>Colors of accepted channels are used again, even while a datagram channel is left there: a
 *       DNS resolver's stays registered with the loop for good. It then shares the color with the
 *       next channel, which costs speed at worst.
 *   <li>The termination future of a loop that has been left completes if enough loops whose future
 *       was asked for are in the free list already: see {@link TerminationFutures}.
 * </ul>
 *
 * <p>So there are no more entries than channels at the same time, and few remain when these have
 * gone. Thread-safe.
 */
final class LoopPool {
  /** Free loops to keep, per core. */
  private static final int MAX_FREE = 1 << 14;

  /** Of these, loops whose termination future was asked for, per core. */
  private static final int MAX_REQUESTED = 16;

  private final Cores cores;
  private final boolean colored;
  private final List<FreeLoops> own = new ArrayList<>();
  private final List<FreeLoops> clients = new ArrayList<>();
  private final ConcurrentMap<Object, Keyed> keyed = new ConcurrentHashMap<>();
  private final EventExecutorChooserFactory.EventExecutorChooser chooser;
  private final AtomicInteger nextCore = new AtomicInteger();

  /**
   * @param cores started already
   * @param settings the number of colors of {@link #next}, and the chooser between them
   */
  LoopPool(Cores cores, GroupSettings settings) {
    this.cores = cores;
    this.colored = !cores.transport().isBoundToThread();
    int sharedColors = settings.sharedColors();
    TerminationFutures futures = cores.groupState().terminationFutures();
    for (int i = 0; i < cores.size(); i++) {
      own.add(new FreeLoops(MAX_FREE, MAX_REQUESTED, futures));
      clients.add(new FreeLoops(sharedColors));
    }
    ColorEventLoop[] shared = new ColorEventLoop[colored ? sharedColors : cores.size()];
    for (int i = shared.length - 1; i >= 0; i--) { // the first is the first to be taken
      shared[i] = newShared(i % cores.size());
    }
    EventExecutorChooserFactory given = settings.chooserFactory();
    EventExecutorChooserFactory factory =
        given != null ? given : DefaultEventExecutorChooserFactory.INSTANCE;
    chooser = factory.newChooser(shared);
  }

  private ColorEventLoop newShared(int core) {
    if (!colored) {
      return cores.loop(core);
    }
    ColorEventLoop loop = cores.newLoop(core);
    loop.free = clients.get(core);
    loop.free.add(loop);
    return loop;
  }

  /** One of the shared colors. */
  ColorEventLoop next() {
    return (ColorEventLoop) chooser.next();
  }

  /** The color of a channel that is about to be registered. */
  ColorEventLoop loopFor(Channel channel, @Nullable ColorAssigner assigner) {
    Object key = assigner == null ? null : assigner.assign(channel);
    if (key != null) {
      return keyed(key, channel);
    }
    int core = takeTurn();
    if (!colored) {
      return cores.loop(core);
    }
    return isClient(channel) ? client(core) : own(core);
  }

  private static boolean isClient(Channel channel) {
    return channel.parent() == null && !(channel instanceof ServerChannel);
  }

  private int takeTurn() {
    return Math.floorMod(nextCore.getAndIncrement(), cores.size());
  }

  private ColorEventLoop client(int core) {
    ColorEventLoop loop = clients.get(core).take();
    return loop != null ? loop : next();
  }

  private ColorEventLoop own(int core) {
    ColorEventLoop left = own.get(core).take();
    if (left != null) {
      return left;
    }
    ColorEventLoop loop = cores.newLoop(core);
    loop.free = own.get(core);
    return loop;
  }

  private ColorEventLoop keyed(Object key, Channel channel) {
    Keyed entry =
        keyed.compute(
            key,
            (k, old) -> {
              Keyed e = old;
              if (e == null) {
                int core = takeTurn();
                e = new Keyed(colored ? own(core) : cores.loop(core));
              }
              e.channels++;
              return e;
            });
    channel.closeFuture().addListener(future -> releaseLater(key, channel, entry.loop));
    return entry.loop;
  }

  /**
   * A closed channel still has its last events to come: {@code close} posts a task that tells the
   * pipeline of the end. The key is free after that task, hence the two steps.
   */
  private void releaseLater(Object key, Channel channel, ColorEventLoop loop) {
    EventLoop last = channel.isRegistered() ? channel.eventLoop() : loop;
    try {
      later(last, () -> later(last, () -> release(key)));
    } catch (RejectedExecutionException e) {
      release(key); // the group has terminated
    }
  }

  private static void later(EventLoop loop, Runnable task) {
    if (loop instanceof ColorTasks own) {
      own.executeAlways(task);
    } else {
      loop.execute(task); // the channel has moved to another group
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
    return own.stream().mapToInt(FreeLoops::size).sum();
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
