package dev.mely.netty.doctor;

import dev.mely.netty.sharing.Sharing;
import dev.mely.netty.sharing.Span;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** What an examination knows of an event loop group. Not thread-safe. */
final class GroupRecord {
  /** Channels whose time is added up; later ones are left out. */
  private static final int MOST_CHANNELS = 100_000;

  /** By {@code EventLoop} of Netty. */
  private final IdentityHashMap<Object, LoopRecord> started = new IdentityHashMap<>();

  private final WatchedLoop any;

  /** Of the slice that is under way. */
  private List<Object> loops;

  /** By pipeline, which it does not hold. */
  private final Map<Object, ChannelTime> byPipeline = new WeakHashMap<>();

  /** The same: each pipeline's connection, which is weak itself. */
  private final Map<Object, WeakReference<@Nullable Object>> connections = new WeakHashMap<>();

  private final List<ChannelTime> channels = new ArrayList<>();
  private double seconds;
  private double queuedSeconds;
  private double runningSeconds;
  private double moreSeconds;

  /** How long the handlers of a channel ran. */
  static final class ChannelTime {
    final String name;
    private double seconds;

    ChannelTime(String name) {
      this.name = name;
    }

    double seconds() {
      return seconds;
    }
  }

  GroupRecord(WatchedLoop any) {
    this.any = any;
    loops = any.siblings();
  }

  /** Whether the group shows its event loops; one that does not cannot be examined. */
  boolean isComplete() {
    return loops.contains(any.executor());
  }

  /** Adds an event loop, once. */
  void add(WatchedLoop loop) {
    started.computeIfAbsent(loop.executor(), executor -> new LoopRecord(loop));
  }

  /**
   * Adds the event loops that are started, whether they ran an event of a channel or not.
   *
   * @param threads all that are alive
   */
  void addStarted(List<Thread> threads) {
    loops = any.siblings(); // groups may grow
    for (Object loop : loops) {
      if (loop instanceof Executor executor && !started.containsKey(loop)) {
        @Nullable Thread thread = WatchedLoop.threadOf(loop, threads);
        if (thread != null) {
          add(new WatchedLoop(executor, any.group(), thread.getName()));
        }
      }
    }
  }

  /**
   * Adds a slice.
   *
   * @param ran what the loops ran in it
   * @param from beginning of the slice
   * @param to its end
   * @param cpus that the process may use
   * @param weight seconds for which the slice stands
   */
  void addSlice(Map<LoopRecord, List<Span>> ran, long from, long to, int cpus, double weight) {
    List<List<Span>> spans = new ArrayList<>();
    for (Object loop : loops) {
      @Nullable LoopRecord found = started.get(loop);
      spans.add(
          found == null ? List.of() : ofConnections(found, ran.getOrDefault(found, List.of())));
    }
    Sharing sharing = Sharing.of(spans, from, to, cpus);
    seconds += weight;
    queuedSeconds += sharing.queued() * weight;
    runningSeconds += sharing.running() * weight;
    moreSeconds += sharing.more() * weight;
    for (int i = 0; i < loops.size(); i++) {
      @Nullable LoopRecord found = started.get(loops.get(i));
      if (found != null) {
        found.addBusy(sharing.busy().get(i) * weight);
      }
      for (Span span : spans.get(i)) {
        long time = Math.min(span.end(), to) - Math.max(span.start(), from);
        if (span.channel() != null && time > 0) {
          addChannel(span.channel(), weight * time / (to - from));
        }
      }
    }
  }

  private List<Span> ofConnections(LoopRecord loop, List<Span> spans) {
    return spans.stream()
        .map(span -> new Span(connection(loop, span.channel()), span.start(), span.end()))
        .toList();
  }

  private @Nullable Object connection(LoopRecord loop, @Nullable Object pipeline) {
    return pipeline == null
        ? null
        : connections
            .computeIfAbsent(pipeline, key -> new WeakReference<>(loop.loop().connection(key)))
            .get();
  }

  private void addChannel(Object pipeline, double time) {
    @Nullable ChannelTime known = byPipeline.get(pipeline);
    if (known == null) {
      if (channels.size() == MOST_CHANNELS) {
        return;
      }
      known = new ChannelTime(WatchedLoop.channelName(pipeline));
      byPipeline.put(pipeline, known);
      channels.add(known);
    }
    known.seconds += time;
  }

  String name() {
    return any.groupName();
  }

  /** All of its loops. */
  int size() {
    return loops.size();
  }

  Collection<LoopRecord> started() {
    return started.values();
  }

  List<ChannelTime> channels() {
    return channels;
  }

  /** Whether there were more channels than it knows. */
  boolean hasMoreChannels() {
    return channels.size() == MOST_CHANNELS;
  }

  double seconds() {
    return seconds;
  }

  /** See {@link Sharing#queued}. */
  double queued() {
    return seconds == 0 ? 0 : queuedSeconds / seconds;
  }

  /** See {@link Sharing#running}. */
  double running() {
    return seconds == 0 ? 0 : runningSeconds / seconds;
  }

  /** See {@link Sharing#more}. */
  double more() {
    return seconds == 0 ? 0 : moreSeconds / seconds;
  }
}
