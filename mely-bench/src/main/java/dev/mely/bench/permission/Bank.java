package dev.mely.bench.permission;

import dev.mely.bench.baseline.PekkoContestant;
import java.util.ArrayList;
import java.util.List;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.ActorSystem;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.Props;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.openjdk.jmh.infra.Blackhole;

/** Accounts as actors, and an actor per client that runs its transfers as sagas. */
final class Bank implements AutoCloseable {
  /** A request to an account, and the saga's next step after the reply. */
  private record Order(long amount, ActorRef<Runnable> saga, Runnable then) {}

  private final ActorSystem<Void> system;
  private final List<ActorRef<Order>> accounts = new ArrayList<>();
  private final List<ActorRef<Runnable>> sagas = new ArrayList<>();

  /**
   * Opens accounts.
   *
   * @param work computation of a transfer, half of it at each account
   */
  Bank(int cores, int count, long work) {
    system = PekkoContestant.newSystem(cores);
    for (int i = 0; i < count; i++) {
      accounts.add(system.systemActorOf(account(work / 2), "account-" + i, Props.empty()));
    }
    for (int i = 0; i < Crowd.CLIENTS; i++) {
      sagas.add(system.systemActorOf(saga(), "saga-" + i, Props.empty()));
    }
  }

  private static Behavior<Order> account(long work) {
    return Behaviors.setup(
        context -> {
          long[] balance = new long[1];
          return Behaviors.receiveMessage(
              order -> {
                Blackhole.consumeCPU(work);
                balance[0] += order.amount;
                order.saga.tell(order.then);
                return Behaviors.same();
              });
        });
  }

  private static Behavior<Runnable> saga() {
    return Behaviors.receiveMessage(
        next -> {
          next.run();
          return Behaviors.same();
        });
  }

  /** Withdraws one from an account, then continues a client's saga. */
  void withdraw(int account, int client, Runnable then) {
    accounts.get(account).tell(new Order(-1, sagas.get(client), then));
  }

  /** Deposits one into an account, then continues a client's saga. */
  void deposit(int account, int client, Runnable then) {
    accounts.get(account).tell(new Order(1, sagas.get(client), then));
  }

  @Override
  public void close() {
    system.terminate();
  }
}
