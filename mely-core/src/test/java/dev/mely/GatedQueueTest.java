package dev.mely;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.annotation.Allocates;
import dev.mely.annotation.Frees;
import dev.mely.pool.Instance;
import dev.mely.pool.Pool;
import dev.mely.stage.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * D2, step by step: which color is passed over, which is next, and which runs without memory of the
 * pool.
 */
class GatedQueueTest {
  private static final long MILLI = 1_000_000;

  private final List<String> ran = new ArrayList<>();
  private final List<Instance> held = new ArrayList<>();
  private final Map<String, Plan.Instances> planned = new LinkedHashMap<>();
  private StealPolicy policy = StealPolicy.OFF;

  private VirtualHost host;
  private Scheduler scheduler;
  private Timers timers;
  private final List<VirtualWorker> workers = new ArrayList<>();

  @BeforeEach
  void plan() {
    planned.put("request", new Plan.Instances(2, 8, Set.of("take"), Set.of("give")));
  }

  private void start(int cores) {
    SettingsBuilder settings = new SettingsBuilder();
    settings.cores = cores;
    settings.policy = policy;
    settings.plan = new Plan(planned);
    settings.errors =
        (color, event, error) -> {
          throw new AssertionError(error);
        };
    host = new VirtualHost(1, cores);
    scheduler = new Scheduler(host, settings.build(), host::newPoller);
    timers = new Timers(scheduler);
    for (int i = 0; i < cores; i++) {
      workers.add(new VirtualWorker(host, scheduler, timers, scheduler.core(i)));
    }
  }

  /** Makes steps until all workers sleep. */
  private void run() {
    for (int steps = 0; workers.stream().anyMatch(VirtualWorker::isReady); steps++) {
      assertTrue(steps < 10_000, "it never sleeps");
      workers.stream().filter(VirtualWorker::isReady).forEach(VirtualWorker::step);
    }
  }

  /** Lets time pass, and runs. */
  private void pass(long nanos) {
    host.advance(nanos);
    run();
  }

  private Pool pool(int core) {
    Pool pool = queue(core).pool();
    assertNotNull(pool);
    return pool;
  }

  private CoreQueue queue(int core) {
    return scheduler.core(core).queue;
  }

  private long regardless() {
    return scheduler.core(0).counters.regardless;
  }

  /** Allocates if it can, and keeps it. */
  private void take(int object) {
    Core core = scheduler.currentCore();
    assertNotNull(core);
    Instance instance = pool(core.index).take(object);
    if (instance != null) {
      held.add(instance);
    }
  }

  private Handler<Numbered> taking(String stage, int... objects) {
    return Handler.of(
            (Numbered event) -> {
              ran.add(stage + " " + event.number);
              for (int object : objects) {
                take(object);
              }
            })
        .named(stage)
        .cost(Duration.ofMillis(1))
        .penalty(1);
  }

  private Color color(int core) {
    return scheduler.newColor(core, false);
  }

  private void post(Color color, Handler<?> handler, int number) {
    Event event = new Numbered(number);
    event.attach(handler);
    scheduler.post(color, event);
  }

  private void free() {
    held.remove(0).free();
  }

  private List<String> ran() {
    List<String> soFar = List.copyOf(ran);
    ran.clear();
    return soFar;
  }

  // ---- In line

  @Test
  void whoLacksAnInstanceIsPassedOverAndOthersGoOn() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 4; i++) {
      post(color(0), take, i);
    }
    post(color(0), taking("other"), 4);
    run();
    assertEquals(List.of("take 0", "take 1", "other 4"), ran());
    assertEquals(2, queue(0).lineSize());
    assertEquals(2, scheduler.core(0).counters.passedOver);
    assertTrue(workers.get(0).isAsleep(), "it does not spin");
    free();
    run();
    assertEquals(List.of("take 2"), ran(), "first come, first served");
    free();
    run();
    assertEquals(List.of("take 3"), ran());
    assertEquals(0, queue(0).lineSize());
    assertEquals(0, pool(0).statistics().fallbacks());
    assertEquals(0, regardless());
  }

  @Test
  void theEventsBehindAreInLineWithTheFirst() {
    start(1);
    Color color = color(0);
    Handler<Numbered> take = taking("take", 0);
    Handler<Numbered> other = taking("other");
    for (int i = 0; i < 3; i++) {
      post(color, take, i);
      post(color, other, i);
    }
    run();
    assertEquals(List.of("take 0", "other 0", "take 1", "other 1"), ran());
    free();
    run();
    assertEquals(List.of("take 2", "other 2"), ran());
  }

  @Test
  void whoComesLaterIsBehindThoseInLine() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 4; i++) {
      post(color(0), take, i);
    }
    run();
    ran();
    Color late = color(0);
    Handler<Numbered> freeing =
        Handler.of(
            event -> {
              ran.add("frees");
              free();
            });
    post(late, freeing, 0);
    post(late, take, 4); // of the same batch: there is an instance, and two have waited for it
    run();
    assertEquals(List.of("frees", "take 2"), ran());
    free();
    free();
    run();
    assertEquals(List.of("take 3", "take 4"), ran());
  }

  /** A color that is alone in the core-queue goes on from batch to batch: not past a line. */
  @Test
  void whoIsInLineHasATurnBesideALoneColor() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 3; i++) {
      post(color(0), take, i);
    }
    run();
    ran();
    Color alone = color(0);
    Numbered[] own = {new Numbered(0)};
    int[] turns = new int[1];
    Handler<Numbered> stream =
        Handler.of(
                (Numbered event) -> {
                  if (ran.isEmpty() && turns[0]++ < 1_000) {
                    event.attach(event.handler());
                    scheduler.post(alone, event);
                  }
                  if (turns[0] == 5) {
                    free();
                  }
                })
            .cost(Duration.ofNanos(10))
            .penalty(1);
    own[0].attach(stream);
    scheduler.post(alone, own[0]);
    run();
    assertEquals(List.of("take 2"), ran());
    assertTrue(turns[0] <= 10, "at the end of the batch: " + turns[0]);
  }

  @Test
  void whoHasToMoveToAnotherLineDoes() {
    planned.put("answer", new Plan.Instances(1, 8, Set.of("both", "answer"), Set.of()));
    planned.put("request", new Plan.Instances(1, 8, Set.of("take", "both"), Set.of()));
    start(1);
    post(color(0), taking("take", 0), 0);
    post(color(0), taking("answer", 1), 1);
    post(color(0), taking("both", 0, 1), 2);
    run();
    assertEquals(List.of("take 0", "answer 1"), ran());
    free(); // the request
    run();
    assertEquals(List.of(), ran());
    free();
    run();
    assertEquals(List.of("both 2"), ran());
    assertEquals(0, pool(0).statistics().fallbacks());
  }

  @Test
  void aStageThatFreesIsAlwaysRun() {
    planned.put("request", new Plan.Instances(1, 8, Set.of("take", "swap"), Set.of("swap")));
    start(1);
    post(color(0), taking("take", 0), 0);
    post(color(0), taking("swap", 0), 1);
    run();
    assertEquals(List.of("take 0", "swap 1"), ran());
    assertEquals(1, pool(0).statistics().fallbacks(), "it allocates before it frees");
  }

  @Allocates("request")
  private final class Annotated extends Handler<Numbered> {
    @Override
    public void handle(Numbered event) {
      ran.add("annotated " + event.number);
      take(0);
    }
  }

  @Allocates("request")
  @Frees("something")
  private final class AnnotatedFreeing extends Handler<Numbered> {
    @Override
    public void handle(Numbered event) {
      ran.add("freeing " + event.number);
    }
  }

  @Test
  void annotationsSayWhatThePlanDoesNot() {
    start(1);
    Handler<Numbered> annotated = new Annotated();
    for (int i = 0; i < 3; i++) {
      post(color(0), annotated, i);
    }
    post(color(0), new AnnotatedFreeing(), 3);
    run();
    assertEquals(List.of("annotated 0", "annotated 1", "freeing 3"), ran());
  }

  @Test
  void aHandlerWhoseNameCannotBeToldRunsAsWithoutAPlan() {
    List<Throwable> reports = new ArrayList<>();
    ErrorHandler noting =
        new ErrorHandler() {
          @Override
          public void onError(Color color, Object event, Throwable error) {}

          @Override
          public void onFailure(Object source, Throwable error) {
            reports.add(error);
          }
        };
    StageNeeds needs = new StageNeeds(new Plan(planned), new Errors(noting));
    Handler<Numbered> nameless =
        new Handler<>() {
          @Override
          public void handle(Numbered event) {}

          @Override
          public String stage() {
            throw new IllegalStateException("no name");
          }
        };
    assertEquals(0, needs.of(nameless).length);
    assertEquals(1, reports.size());
  }

  @Test
  void eventsThatHoldPermissionsAreNotAsked() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    post(color(0), take, 0);
    post(color(0), take, 1);
    run();
    Granter granter = new Granter(scheduler);
    granter.register(Permissions.write(color(0)).andWrite(color(0)), take, new Numbered(2));
    run();
    assertEquals(List.of("take 0", "take 1", "take 2"), ran());
  }

  // ---- Regardless

  @Test
  void theHeadRunsRegardlessWhenItHasWaitedTooLong() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 6; i++) {
      post(color(0), take, i);
    }
    run();
    assertEquals(List.of("take 0", "take 1"), ran());
    pass(GatedQueue.MIN_PATIENCE - MILLI);
    assertEquals(List.of(), ran());
    pass(MILLI);
    assertEquals(List.of("take 2"), ran(), "one, not all");
    pass(2 * GatedQueue.MIN_PATIENCE - MILLI);
    assertEquals(List.of(), ran(), "the next one waits twice as long");
    pass(MILLI);
    assertEquals(List.of("take 3"), ran());
    assertEquals(2, regardless());
    assertEquals(2, pool(0).statistics().fallbacks());
    free();
    run();
    assertEquals(List.of("take 4"), ran());
    pass(GatedQueue.MIN_PATIENCE);
    assertEquals(List.of("take 5"), ran(), "the line had moved: patience begins anew");
  }

  /** Nor does it help that the core is busy with others, or that another line moves. */
  @Test
  void whoComesMeanwhileDoesNotPutTheHeadOff() {
    planned.put("answer", new Plan.Instances(1, 8, Set.of("answer"), Set.of()));
    start(1);
    Handler<Numbered> take = taking("take", 0);
    Handler<Numbered> answer = taking("answer", 1);
    Handler<Numbered> other = taking("other");
    post(color(0), answer, 0);
    for (int i = 0; i < 3; i++) {
      post(color(0), take, i);
    }
    run();
    assertEquals(List.of("answer 0", "take 0", "take 1"), ran());
    long patience = GatedQueue.MIN_PATIENCE;
    for (int episode = 0; episode < 2; episode++) {
      pass(patience - MILLI);
      post(color(0), take, 3 + episode); // behind the head
      post(color(0), answer, 1 + episode); // in the other line
      post(color(0), other, episode);
      run();
      assertEquals(List.of("other " + episode), ran());
      held.remove(0).free(); // an answer: that line moves
      run();
      assertEquals(List.of("answer " + (1 + episode)), ran());
      held.add(0, held.remove(held.size() - 1)); // the answer that has been made is the next
      pass(MILLI);
      assertEquals(List.of("take " + (2 + episode)), ran());
      assertEquals(1 + episode, regardless());
      patience *= 2;
    }
  }

  /** A color moves into a line in which others wait already: their head has its turn in time. */
  @Test
  void whoComesFromAnotherLineDoesNotPutTheHeadOff() {
    planned.put("answer", new Plan.Instances(1, 8, Set.of("both", "answer"), Set.of()));
    planned.put("request", new Plan.Instances(1, 8, Set.of("take", "both"), Set.of()));
    start(1);
    post(color(0), taking("take", 0), 0);
    post(color(0), taking("answer", 1), 1);
    post(color(0), taking("both", 0, 1), 2);
    run();
    post(color(0), taking("answer", 1), 3);
    run();
    assertEquals(List.of("take 0", "answer 1"), ran());
    pass(GatedQueue.MIN_PATIENCE - MILLI);
    free(); // the request: the one that needs both lacks an answer now
    run();
    assertEquals(List.of(), ran());
    pass(MILLI);
    assertEquals(List.of("answer 3"), ran());
    assertEquals(1, regardless());
  }

  @Test
  void aPlanThatIsWrongIsNotAskedUntilAnInstanceIsBack() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    int all = 2 + GatedQueue.TRIES + 5;
    for (int i = 0; i < all; i++) {
      post(color(0), take, i);
    }
    run();
    ran();
    for (int i = 0; i < GatedQueue.TRIES - 1; i++) {
      pass(GatedQueue.MAX_PATIENCE);
      assertEquals(1, ran().size());
    }
    pass(GatedQueue.MAX_PATIENCE);
    assertEquals(6, ran().size(), "the last try, and all that were behind it");
    post(color(0), take, 100);
    run();
    assertEquals(List.of("take 100"), ran());
    free();
    post(color(0), take, 101);
    post(color(0), take, 102);
    run();
    assertEquals(List.of("take 101"), ran(), "asked again");
  }

  // ---- Several cores

  /** Of a policy that steals all. */
  private void startStealing() {
    policy = StealPolicy.TIME_LEFT;
    start(2);
  }

  @Test
  void aThiefTakesFromTheLineWhatItsOwnPoolHas() {
    startStealing();
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 5; i++) {
      post(scheduler.newColor(0, i < 2), take, i); // two cannot be stolen
    }
    run();
    assertEquals(4, ran().size());
    assertEquals(2 * 64, pool(0).liveBytes());
    assertEquals(2 * 64, pool(1).liveBytes());
    assertEquals(1, queue(0).lineSize() + queue(1).lineSize());
    held.forEach(Instance::free);
    held.clear();
    run();
    assertEquals(1, ran().size());
  }

  @Test
  void aThiefLeavesWhatItsOwnPoolLacks() {
    policy = StealPolicy.BASE;
    start(2);
    for (int i = 0; i < 2; i++) {
      assertNotNull(pool(1).take(0));
    }
    Color[] waiting = {color(0), color(0)};
    for (Color color : waiting) {
      post(color, taking("take", 0), 0);
    }
    while (workers.get(1).isReady()) {
      workers.get(1).step();
    }
    assertTrue(waiting[0].isQueuedAt(0));
    assertTrue(waiting[1].isQueuedAt(0));
    run();
    assertEquals(2, ran().size());
  }

  @Test
  void whoIsPutInLineIsOfferedToThieves() {
    startStealing();
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 2; i++) {
      post(scheduler.newColor(0, true), take, i);
    }
    run();
    ran();
    post(color(0), take, 2);
    while (!queue(0).hasLine()) {
      workers.get(0).step(); // takes it out of the stealing-queue, and asks its pool
    }
    run();
    assertEquals(List.of("take 2"), ran());
    assertEquals(64, pool(1).liveBytes());
  }

  @Test
  void whoIsInLineAtAStuckCoreIsTakenOver() {
    startStealing();
    Handler<Numbered> cheap =
        Handler.of(
                (Numbered event) -> {
                  ran.add("cheap " + event.number);
                  take(0);
                })
            .named("take")
            .cost(Duration.ofNanos(1))
            .penalty(1);
    post(scheduler.newColor(0, true), cheap, 0);
    post(scheduler.newColor(0, true), cheap, 1);
    post(color(0), cheap, 2); // not worth a steal
    VirtualWorker stuck = workers.get(0);
    while (!queue(0).hasLine()) {
      stuck.step();
    }
    assertEquals(List.of("cheap 0", "cheap 1"), ran());
    post(scheduler.newColor(0, true), taking("other"), 3);
    while (stuck.state() != WorkerState.RUN) {
      stuck.step();
    }
    VirtualWorker other = workers.get(1);
    for (int i = 0; i < 10_000 && ran.isEmpty(); i++) {
      host.advance(MILLI / 10);
      if (other.isReady()) {
        other.step();
      }
    }
    assertEquals(List.of("cheap 2"), ran());
    assertEquals(64, pool(1).liveBytes());
  }

  @Test
  void theEndWaitsForNobodyInLine() {
    start(1);
    Handler<Numbered> take = taking("take", 0);
    for (int i = 0; i < 4; i++) {
      post(color(0), take, i);
    }
    run();
    assertFalse(new Quiescence(scheduler).isQuiescent());
    scheduler.setPhase(Scheduler.DRAINING);
    pass(GatedQueue.MIN_PATIENCE);
    assertEquals(List.of("take 0", "take 1", "take 2", "take 3"), ran());
    assertTrue(new Quiescence(scheduler).isQuiescent());
  }

  @Test
  void whatIsLeftInLineIsRejected() {
    start(1);
    List<Integer> rejected = new ArrayList<>();
    Handler<Numbered> take =
        new Handler<>() {
          @Override
          public void handle(Numbered event) {
            take(0);
          }

          @Override
          public String stage() {
            return "take";
          }

          @Override
          protected void rejected(Numbered event) {
            rejected.add(event.number);
          }
        };
    for (int i = 0; i < 4; i++) {
      post(color(0), take, i);
    }
    run();
    scheduler.setPhase(Scheduler.CLOSED);
    scheduler.sweep();
    assertEquals(List.of(2, 3), rejected);
  }
}
