package dev.mely.netty.sharing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the event loops of a group shared the work of a time, and how far loops that steal whole
 * channels would have shared it better. Averages over that time.
 *
 * <p>A loop goes from one channel to the next without a pause only if the next one's data was there
 * by then. So a channel is taken to have waited while another one ran, if it followed on the same
 * loop without a pause and before that one's next turn. That is an estimate: the data may have come
 * just before, which is too much; and a pause may be a slow call of the system, which is too
 * little.
 *
 * @param busy of each loop: the share of the time in which it ran something, 0 to 1
 * @param queued share of the time in which a channel waited for its loop, while another loop, and a
 *     CPU for it, was idle: 0 to 1
 * @param running loops that ran something
 * @param more loops that would have run something too: no more than were idle, than had a CPU, and
 *     than channels waited
 */
public record Sharing(List<Double> busy, double queued, double running, double more) {
  /** A pause that is shorter than this part of what a channel's turn takes on average is none. */
  static final int PART_OF_TURN = 8;

  /** Copies the list. */
  public Sharing {
    busy = List.copyOf(busy);
  }

  /** Spans that are looked through for channels that wait. */
  private static final int LOOK_AHEAD = 256;

  /** A loop begins or ends something. */
  private record Edge(long time, int loop, boolean runs, int waiting) {}

  /**
   * Computes it.
   *
   * @param loops what each loop ran, in order; spans may begin before the time and end after it
   * @param from beginning of the time
   * @param to end of the time, later
   * @param cpus that the process may use
   */
  public static Sharing of(List<List<Span>> loops, long from, long to, int cpus) {
    List<Edge> edges = new ArrayList<>();
    for (int loop = 0; loop < loops.size(); loop++) {
      addEdges(loops.get(loop), loop, loops.size() - 1, edges);
    }
    edges.sort(Comparator.comparingLong(Edge::time));
    return new Sweep(loops.size(), from, to, cpus).over(edges);
  }

  private static void addEdges(List<Span> spans, int loop, int most, List<Edge> edges) {
    long pause = Math.max(Span.PAUSE_NANOS, turnNanos(spans) / PART_OF_TURN);
    for (int i = 0; i < spans.size(); i++) {
      int waiting = waiting(spans, i, most, pause);
      edges.add(new Edge(spans.get(i).start(), loop, true, waiting));
      if (!goesOn(spans, i, pause)) {
        edges.add(new Edge(spans.get(i).end(), loop, false, 0));
      }
    }
  }

  /** How long a channel's turn takes on average, which may be several spans. */
  private static long turnNanos(List<Span> spans) {
    long turns = 0;
    long nanos = 0;
    @Nullable Object last = null;
    for (Span span : spans) {
      if (span.channel() != null) {
        turns += span.channel() == last ? 0 : 1;
        nanos += span.end() - span.start();
        last = span.channel();
      }
    }
    return turns == 0 ? 0 : nanos / turns;
  }

  /** Whether the next span follows without a pause. */
  private static boolean goesOn(List<Span> spans, int i, long pause) {
    return i + 1 < spans.size() && spans.get(i + 1).start() - spans.get(i).end() <= pause;
  }

  /**
   * How many channels wait while a span runs. A task may belong to any channel: it is not one that
   * waits, and the first one that waits for it may be its own.
   */
  private static int waiting(List<Span> spans, int i, int most, long pause) {
    @Nullable Object running = spans.get(i).channel();
    int enough = running == null ? most + 1 : most;
    Set<Object> waiting = new HashSet<>();
    for (int next = i; next - i < LOOK_AHEAD && goesOn(spans, next, pause); next++) {
      @Nullable Object channel = spans.get(next + 1).channel();
      if (channel != null && channel == running && spans.get(next).channel() != running) {
        break; // its next turn
      }
      if (channel != null && channel != running && waiting.add(channel)) {
        if (waiting.size() == enough) {
          break;
        }
      }
    }
    return running == null ? Math.max(0, waiting.size() - 1) : waiting.size();
  }

  /** Goes through the time, from edge to edge. */
  private static final class Sweep {
    private final long from;
    private final long to;
    private final int cpus;
    private final boolean[] runs;
    private final int[] waiting;
    private final double[] busy;
    private double queued;
    private double running;
    private double more;

    Sweep(int loops, long from, long to, int cpus) {
      this.from = from;
      this.to = to;
      this.cpus = cpus;
      this.runs = new boolean[loops];
      this.waiting = new int[loops];
      this.busy = new double[loops];
    }

    Sharing over(List<Edge> edges) {
      long last = from;
      for (Edge edge : edges) {
        long time = Math.min(to, Math.max(from, edge.time));
        add(time - last);
        last = time;
        runs[edge.loop] = edge.runs;
        waiting[edge.loop] = edge.waiting;
      }
      add(to - last);
      double time = to - from;
      return new Sharing(
          Arrays.stream(busy).mapToObj(each -> each / time).toList(),
          queued / time,
          running / time,
          more / time);
    }

    private void add(long nanos) {
      int now = 0;
      int channels = 0;
      for (int loop = 0; loop < runs.length; loop++) {
        if (runs[loop]) {
          now++;
          busy[loop] += nanos;
          channels += waiting[loop];
        }
      }
      int idle = Math.max(0, Math.min(runs.length, cpus) - now);
      running += (double) now * nanos;
      more += (double) Math.min(idle, channels) * nanos;
      if (idle > 0 && channels > 0) {
        queued += nanos;
      }
    }
  }
}
