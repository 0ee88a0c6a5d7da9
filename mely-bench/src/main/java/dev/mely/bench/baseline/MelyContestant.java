package dev.mely.bench.baseline;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.StealPolicy;
import dev.mely.report.Statistics;
import java.time.Duration;

/** Mely itself. */
final class MelyContestant implements Contestant<Color> {
  private final Crew crew;
  private final Mely mely;
  private final boolean annotated;

  MelyContestant(StealPolicy policy, boolean annotated, int cores, boolean pinned) {
    this.annotated = annotated;
    this.crew = new Crew(cores, pinned);
    this.mely =
        Mely.builder()
            .cores(cores)
            .policy(policy)
            .pinned(pinned)
            .threadFactory(worker -> crew.newThread(worker, "mely"))
            .build();
  }

  @Override
  public int cores() {
    return mely.inspect().cores();
  }

  @Override
  public Color newColor(int core) {
    return mely.newColor(core);
  }

  @Override
  public Color newPinnedColor(int core) {
    return mely.newPinnedColor(core);
  }

  @Override
  public void moveTo(Color color, int core) {
    // Not idle: the color of the last event, if its worker has not released it yet.
    if (color.core() != core) {
      color.moveTo(core);
    }
  }

  @Override
  public void register(Color color, Job job) {
    mely.register(color, job.kind, job);
  }

  @Override
  public Handler<Job> kind(Duration cost, int penalty) {
    return annotated ? Contestant.super.kind(cost, penalty) : Handler.of(Job::run);
  }

  @Override
  public Worker worker() {
    return Crew.current();
  }

  @Override
  public long counted() {
    return crew.counted();
  }

  @Override
  public Figures figures() {
    Statistics.PerCore total = mely.inspect().statistics().total();
    return new Figures(
        total.colorsStolen(),
        total.stolenNanos(),
        total.stealNanos(),
        total.takeovers(),
        total.parks(),
        total.wakeups(),
        0,
        0,
        crew.bytes());
  }

  @Override
  public void close() {
    mely.close();
  }
}
