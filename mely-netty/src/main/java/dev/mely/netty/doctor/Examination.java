package dev.mely.netty.doctor;

import dev.mely.netty.sharing.Span;
import java.lang.instrument.Instrumentation;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches a program's event loops for a time, in slices, and says what it saw. To be run in a
 * thread of its own.
 */
final class Examination {
  private static final long SLICE_NANOS = 100_000_000;

  /** The end of a slice tells which channels waited before it, and is not counted itself. */
  private static final long LOOK_AHEAD_NANOS = 20_000_000;

  /** From the beginning of a slice to that of the next one. */
  private static final long SHORTEST_NANOS = 200_000_000;

  private static final long LONGEST_NANOS = 300_000_000;

  private final Instrumentation instrumentation;
  private final int seconds;
  private final int patience;
  private final int cpus = Runtime.getRuntime().availableProcessors();
  private final CpuLoad load = new CpuLoad();

  /** By {@code EventLoopGroup} of Netty. */
  private final IdentityHashMap<Object, GroupRecord> groups = new IdentityHashMap<>();

  private final IdentityHashMap<Object, Boolean> leftOut = new IdentityHashMap<>();

  /**
   * @param instrumentation of the virtual machine
   * @param seconds to watch, from the first event of a channel
   * @param patience seconds to wait for that event
   */
  Examination(Instrumentation instrumentation, int seconds, int patience) {
    this.instrumentation = instrumentation;
    this.seconds = seconds;
    this.patience = patience;
  }

  /**
   * Does it.
   *
   * @param out takes the report's lines
   * @param wanted whether anybody waits for them
   */
  void run(Consumer<String> out, BooleanSupplier wanted) throws InterruptedException {
    Hooks.begin();
    try {
      ChangedNetty changed = new ChangedNetty(instrumentation, out);
      try {
        if (await(out, wanted)) {
          watch(out, wanted);
        }
      } finally {
        changed.putBack();
      }
    } finally {
      Hooks.end();
    }
    out.accept(new Report(List.copyOf(groups.values()), cpus, load.average()).text());
  }

  private boolean await(Consumer<String> out, BooleanSupplier wanted) throws InterruptedException {
    for (int waited = 0; LoopTrace.LOOPS.isEmpty(); waited++) {
      if (waited == patience || !wanted.getAsBoolean()) {
        return false;
      }
      TimeUnit.SECONDS.sleep(1);
    }
    out.accept("mely doctor: watches for " + seconds + " s");
    return true;
  }

  private void watch(Consumer<String> out, BooleanSupplier wanted) throws InterruptedException {
    load.add(0); // it counts from here
    long end = Recording.now() + TimeUnit.SECONDS.toNanos(seconds);
    while (Recording.now() < end && wanted.getAsBoolean()) {
      long from = Recording.now();
      long to = from + SLICE_NANOS - LOOK_AHEAD_NANOS;
      Recording.from = from;
      sleepUntil(from + SLICE_NANOS);
      find(out);
      forEachLoop(loop -> loop.ask(from));
      Map<LoopRecord, List<Span>> spans = new HashMap<>();
      for (GroupRecord group : groups.values()) {
        for (LoopRecord loop : group.started()) {
          spans.put(loop, loop.spans(from, to));
        }
      }
      Recording.from = Recording.CLOSED;
      // At random: the program may do something at fixed times.
      sleepUntil(from + ThreadLocalRandom.current().nextLong(SHORTEST_NANOS, LONGEST_NANOS));
      // A slice stands for all the time to the next one: loops that are stuck delay that one.
      double weight = (Recording.now() - from) / 1e9;
      groups.values().forEach(group -> group.addSlice(spans, from, to, cpus, weight));
      load.add(weight);
    }
  }

  /** Event loops that have come up. */
  private void find(Consumer<String> out) {
    for (LoopTrace trace : LoopTrace.LOOPS) {
      @Nullable WatchedLoop loop = trace.loop();
      if (loop == null || leftOut.containsKey(loop.group())) {
        continue;
      }
      @Nullable GroupRecord group = groups.get(loop.group());
      if (group == null) {
        group = new GroupRecord(loop);
        if (!group.isComplete()) {
          leftOut.put(loop.group(), true);
          out.accept(
              "mely doctor: " + group.name() + " is left out: it does not list its event loops");
          continue;
        }
        groups.put(loop.group(), group);
      }
      group.add(loop);
    }
    List<Thread> threads = threads();
    groups.values().forEach(group -> group.addStarted(threads));
  }

  private static List<Thread> threads() {
    ThreadGroup root = Thread.currentThread().getThreadGroup();
    while (root.getParent() != null) {
      root = root.getParent();
    }
    Thread[] threads = new Thread[2 * root.activeCount() + 16]; // more may be started meanwhile
    return Arrays.asList(threads).subList(0, root.enumerate(threads));
  }

  private void forEachLoop(Consumer<LoopRecord> action) {
    groups.values().forEach(group -> group.started().forEach(action));
  }

  private static void sleepUntil(long time) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(Math.max(0, time - Recording.now()));
  }
}
