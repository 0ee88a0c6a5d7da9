package dev.mely.bench.baseline;

import com.typesafe.config.ConfigFactory;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Pekko's typed actors on its default dispatcher: a color is an actor, a job a message to it. */
public final class PekkoContestant extends Peer<ActorRef<Runnable>> {
  private static final long CLOSE_SECONDS = 30;

  /** A color's last message. */
  private enum Stop implements Runnable {
    STOP;

    @Override
    public void run() {}
  }

  private final AtomicInteger made = new AtomicInteger();
  private final ThreadLocal<Worker> workers;
  private final ActorSystem<Void> system;

  PekkoContestant(int cores, boolean pinned) {
    super(cores, pinned);
    this.workers = ThreadLocal.withInitial(this::join);
    this.system = newSystem(cores);
  }

  /**
   * Starts an actor system.
   *
   * @param cores threads of its dispatcher, 1 or more
   * @return the system, without actors
   */
  public static ActorSystem<Void> newSystem(int cores) {
    String dispatcher = "pekko.actor.default-dispatcher.fork-join-executor.";
    return ActorSystem.create(
        Behaviors.empty(),
        "bench",
        ConfigFactory.parseMap(
                Map.of(
                    dispatcher + "parallelism-min",
                    cores,
                    dispatcher + "parallelism-max",
                    cores,
                    "pekko.log-dead-letters",
                    "off",
                    "pekko.coordinated-shutdown.run-by-jvm-shutdown-hook",
                    "off"))
            .withFallback(ConfigFactory.load()));
  }

  /** The dispatcher makes its own threads: a thread gets its worker with its first job. */
  private Worker join() {
    crew.pinThisThread();
    crew.watch(Thread.currentThread());
    return crew.newWorker();
  }

  @Override
  public ActorRef<Runnable> newColor(int core) {
    return system.systemActorOf(run(), "color-" + made.getAndIncrement(), Props.empty());
  }

  private static Behavior<Runnable> run() {
    return Behaviors.receiveMessage(
        job -> {
          if (job == Stop.STOP) {
            return Behaviors.stopped();
          }
          job.run();
          return Behaviors.same();
        });
  }

  @Override
  public void retire(ActorRef<Runnable> color) {
    color.tell(Stop.STOP);
  }

  @Override
  public void register(ActorRef<Runnable> color, Job job) {
    color.tell(job);
  }

  @Override
  public Worker worker() {
    return workers.get();
  }

  @Override
  public void close() {
    system.terminate();
    try {
      system.getWhenTerminated().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the actor system does not end", e);
    }
  }
}
