package dev.mely.bench.micro;

import dev.mely.Handler;
import dev.mely.bench.Work;
import dev.mely.bench.baseline.Contestant;
import dev.mely.bench.baseline.Job;
import dev.mely.bench.baseline.Worker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Rounds of a {@link Load}, all registered on core 0 (Mely, section V-B (d)).
 *
 * @param <C> type of a color
 */
final class Unbalanced<C> extends Rounds<C> {
  private final List<Task> tasks = new ArrayList<>();

  Unbalanced(Contestant<C> contestant, Load load) {
    super(contestant, load.events());
    Map<Integer, Handler<Job>> kinds = new HashMap<>();
    long[] work = new long[load.colors()];
    for (int i = 0; i < load.events(); i++) {
      work[load.color(i)] += load.cycles(i);
    }
    List<C> colors = new ArrayList<>();
    for (long cycles : work) {
      colors.add(contestant.newColor(contestant.place(0, cycles)));
    }
    for (int i = 0; i < load.events(); i++) {
      int cycles = load.cycles(i);
      tasks.add(
          new Task(
              kinds.computeIfAbsent(Load.declared(cycles), c -> contestant.kind(cost(c), 1)),
              colors.get(load.color(i)),
              Work.iterations(Work.nanos(cycles))));
    }
  }

  private static Duration cost(int cycles) {
    return Duration.ofNanos(Work.nanos(cycles));
  }

  @Override
  void begin() {
    for (Task task : tasks) {
      contestant.moveTo(task.color, 0); // moves back colors stolen in the last round
      contestant.register(task.color, task);
    }
  }

  private final class Task extends Job {
    final C color;
    private final int iterations;

    Task(Handler<Job> kind, C color, int iterations) {
      super(kind);
      this.color = color;
      this.iterations = iterations;
    }

    @Override
    public void run() {
      Worker worker = contestant.worker();
      worker.result = Work.spin(iterations, worker.result);
      worker.count();
    }
  }
}
