package dev.mely.netty;

import dev.mely.netty.LoopContract.Context;
import dev.mely.netty.LoopProgram.Kind;
import dev.mely.netty.LoopProgram.Step;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One run of a {@link LoopProgram} over a pair of connected channels. What it does, and what it
 * sees happen, is told to the {@link LoopContract} of each event loop: one, if the two share
 * theirs.
 */
final class LoopRun {
  /** Who looks for this in a name of a thread, finds those of {@link #outside}. */
  static final String OUTSIDE = "outside";

  /** How long a program may wait for reads that may never come. */
  private static final long READ_PATIENCE_NANOS = 20_000_000;

  /** What a callback or a task of a program throws. */
  static final class Planted extends RuntimeException {
    private static final long serialVersionUID = 1;

    Planted() {
      super("planted", null, false, false);
    }
  }

  final LoopProgram program;
  private final LoopEnd[] ends;
  private final LoopContract[] contracts;

  /** Tasks of any kind that have not ended. Once it is 0 it stays so, but for reads. */
  private final AtomicInteger work = new AtomicInteger(1);

  /** The same, and promises that are not complete. */
  private final AtomicInteger open = new AtomicInteger(1);

  private final AtomicInteger names = new AtomicInteger();
  private final long started = System.nanoTime();
  private boolean closing;

  /**
   * @param ends both connected
   * @param runners who runs a loop, over all programs
   */
  LoopRun(
      LoopProgram program, LoopEnd[] ends, Function<EventLoop, AtomicReference<Thread>> runners) {
    this.program = program;
    this.ends = ends;
    EventLoop first = ends[0].channel().eventLoop();
    EventLoop second = ends[1].channel().eventLoop();
    LoopContract contract = new LoopContract(first, runners.apply(first));
    this.contracts =
        new LoopContract[] {
          contract, first == second ? contract : new LoopContract(second, runners.apply(second))
        };
  }

  /** Makes the ends begin, and does what is to be done from outside. */
  void start() {
    for (int end = 0; end < 2; end++) {
      ends[end].bind(this, end, contracts[end], program);
    }
    for (int end = 0; end < 2; end++) {
      int self = end;
      outside(OUTSIDE, self, "start" + self, () -> ends[self].start(), Kind.TASK);
    }
    for (Step step : program.outside()) {
      if (loop(step.end()).inEventLoop()) {
        contracts[step.end()].fault("inEventLoop() is true outside");
      }
      perform(step, null);
    }
    ended();
  }

  private void begun() {
    open.incrementAndGet();
    work.incrementAndGet();
  }

  private void ended() {
    work.decrementAndGet();
    open.decrementAndGet();
  }

  private EventLoop loop(int end) {
    return contracts[end].loop();
  }

  // ---- Steps

  /**
   * Does a step.
   *
   * @param inside in whose loop; null if in none
   */
  void perform(Step step, @Nullable LoopContract inside) {
    int end = step.end();
    LoopContract contract = contracts[end];
    Channel channel = ends[end].channel();
    boolean mine = contract == inside;
    String name = step.kind().name().toLowerCase(Locale.ROOT) + names.getAndIncrement();
    switch (step.kind()) {
      case TASK, LAZY_TASK, FAILING_TASK -> task(step, end, name, mine);
      case REMOTE_TASK -> task(step, 1 - end, name, contracts[1 - end] == inside);
      case TIMER, CANCELLED_TIMER -> timer(step, name, mine);
      case TAIL -> tail(step, name, mine);
      case WRITE -> ends[end].write(step.value(), name, () -> performAll(step, contract));
      case FLUSH -> channel.flush();
      case READ -> channel.read();
      case AUTO_READ_OFF, AUTO_READ_ON -> {
        if (mine) {
          ends[end].setAutoRead(step.kind() == Kind.AUTO_READ_ON);
        }
      }
      case EVENT -> event(step, name, mine);
      case CLOSE -> ends[end].close(name, () -> performAll(step, contract));
      case SHUTDOWN_OUTPUT -> {
        ends[end].endsOutput();
        ((DuplexChannel) channel).shutdownOutput();
      }
      case THROW -> ends[end].throwInCallback(mine);
    }
  }

  private void performAll(Step step, LoopContract contract) {
    for (Step next : step.then()) {
      perform(next, contract);
    }
  }

  private void task(Step step, int end, String name, boolean mine) {
    LoopContract contract = contracts[end];
    Runnable body =
        () -> {
          performAll(step, contract);
          if (step.kind() == Kind.FAILING_TASK) {
            throw new Planted();
          }
        };
    if (mine) {
      contract.submitted(name, false);
      submit(step.kind(), contract, taskOf(contract, end, name, body));
    } else {
      outside(end == step.end() ? OUTSIDE : "other end", end, name, body, step.kind());
    }
  }

  private void outside(String who, int end, String name, Runnable body, Kind kind) {
    LoopContract contract = contracts[end];
    contract.submittedBy(who, name);
    submit(kind, contract, taskOf(contract, end, name, body));
  }

  private Runnable taskOf(LoopContract contract, int end, String name, Runnable body) {
    begun();
    return () -> {
      contract.enter(Context.TASK, end, name);
      try {
        contract.taskRuns(name);
        checkElsewhere(end);
        body.run();
      } finally {
        contract.exit();
        ended();
      }
    };
  }

  private void submit(Kind kind, LoopContract contract, Runnable task) {
    try {
      switch (kind) {
        case LAZY_TASK -> ((SingleThreadEventLoop) contract.loop()).lazyExecute(task);
        // Its future keeps the exception, and it is not logged.
        case FAILING_TASK -> contract.loop().submit(task);
        default -> contract.loop().execute(task);
      }
      if (kind == Kind.LAZY_TASK && !contract.loop().inEventLoop()) {
        contract.loop().execute(() -> {}); // or it may wait for long
      }
    } catch (RejectedExecutionException e) {
      contract.fault("refused");
    }
  }

  private void timer(Step step, String name, boolean mine) {
    LoopContract contract = contracts[step.end()];
    EventLoop loop = contract.loop();
    begun();
    long delay = TimeUnit.MICROSECONDS.toNanos(step.value());
    long before = System.nanoTime();
    if (!mine) {
      contract.scheduled(name, before, delay, false);
    }
    ScheduledFuture<?> future =
        loop.schedule(
            () -> {
              contract.enter(Context.TASK, step.end(), name);
              try {
                contract.timerRuns(name);
                performAll(step, contract);
              } finally {
                contract.exit();
                ended();
              }
            },
            step.value(),
            TimeUnit.MICROSECONDS);
    if (mine) {
      contract.scheduled(name, before, delay, true);
    }
    if (step.kind() == Kind.CANCELLED_TIMER) {
      if (future.cancel(false)) {
        contract.cancelled(name);
        ended();
      } else if (mine) {
        contract.fault(name + " cannot be cancelled");
      }
    }
  }

  private void tail(Step step, String name, boolean mine) {
    LoopContract contract = contracts[step.end()];
    if (mine) {
      contract.submitted(name, true);
    } else {
      contract.tailSubmittedFromOutside(name);
    }
    begun();
    ((SingleThreadEventLoop) contract.loop())
        .executeAfterEventLoopIteration(
            () -> {
              contract.enter(Context.TAIL, step.end(), name);
              try {
                contract.tailRuns(name);
                performAll(step, contract);
              } finally {
                contract.exit();
                ended();
              }
            });
  }

  private void event(Step step, String name, boolean mine) {
    LoopContract contract = contracts[step.end()];
    LoopEnd.UserEvent event = new LoopEnd.UserEvent(name, !mine, () -> performAll(step, contract));
    if (!mine) {
      contract.submittedBy(OUTSIDE + " events", name); // the handler may be gone by then
    }
    ends[step.end()].fire(event, mine);
  }

  /** Whether the other end has sent its last byte, or is about to. */
  boolean isOutputEnding(int end) {
    return ends[1 - end].isOutputEnding();
  }

  /** Inside the loop of one end, the caller must not be in that of the other. */
  void checkElsewhere(int end) {
    if (contracts[0] != contracts[1] && loop(1 - end).inEventLoop()) {
      contracts[end].fault("inEventLoop() of the other end's loop is true");
    }
  }

  void promised() {
    open.incrementAndGet();
  }

  void completed() {
    open.decrementAndGet();
  }

  // ---- The end, awaited by the thread that started the run

  /** Closes the channels once there is nothing left to do. */
  boolean hasEnded() {
    if (!closing && work.get() == 0 && isQuiet()) {
      closing = true;
      for (LoopEnd end : ends) {
        end.close("last", () -> {});
      }
    }
    return closing && ends[0].isOver() && ends[1].isOver() && open.get() == 0;
  }

  private boolean isQuiet() {
    return (!ends[0].expects(ends[1]) && !ends[1].expects(ends[0]))
        || System.nanoTime() - started > READ_PATIENCE_NANOS;
  }

  boolean isOlderThan(long nanos) {
    return System.nanoTime() - started > nanos;
  }

  /** Whether the contract has been broken already. */
  boolean isFaulty() {
    return !contracts[0].faults().isEmpty() || !contracts[1].faults().isEmpty();
  }

  /** What the contract does not allow. No thread waits for the run any longer. */
  List<String> faults(boolean ended) {
    Set<String> faults = new LinkedHashSet<>();
    for (int end = 0; end < 2; end++) {
      ends[end].forgetEvents(contracts[end]);
    }
    for (LoopContract contract : new LinkedHashSet<>(List.of(contracts[0], contracts[1]))) {
      if (ended) {
        contract.ends();
      } else if (!isFaulty()) {
        contract.fault("no end: " + work + " tasks and " + open + " in all, closing " + closing);
      }
      faults.addAll(contract.faults());
    }
    return new ArrayList<>(faults);
  }

  String traces() {
    return "  loop of end 0: "
        + contracts[0].trace()
        + (contracts[0] == contracts[1] ? "" : "\n  loop of end 1: " + contracts[1].trace());
  }
}
