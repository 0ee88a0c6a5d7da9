package dev.mely.bench.kafka;

import dev.mely.Mely;
import dev.mely.bench.baseline.VirtualThreads;
import dev.mely.kafka.KafkaColors;
import dev.mely.kafka.KafkaColorsBuilder;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.UnaryOperator;

/** Keys as colors, with the defaults of {@link KafkaColors}. */
final class MelyConsumer implements Consumption {
  private final Mely mely;
  private final KafkaColors colors;

  private MelyConsumer(
      RoundSetup setup, UnaryOperator<KafkaColorsBuilder<Integer, byte[]>> handler) {
    mely = Mely.builder().cores(setup.cores()).build();
    colors =
        handler
            .apply(KafkaColors.<Integer, byte[]>builder(mely, setup.consumer()))
            .topics(setup.topic())
            .start();
  }

  static Consumption direct(RoundSetup setup, Ledger ledger) {
    return new MelyConsumer(setup, builder -> builder.handler(ledger::handle));
  }

  static Consumption async(RoundSetup setup, Ledger ledger) {
    Executor waiting = newWaiting(setup);
    return new MelyConsumer(
        setup,
        builder ->
            builder.asyncHandler(
                record -> {
                  CompletableFuture<Void> done = new CompletableFuture<>();
                  waiting.execute(
                      () -> {
                        try {
                          ledger.handle(record);
                          done.complete(null);
                        } catch (InterruptedException | RuntimeException e) {
                          done.completeExceptionally(e);
                        }
                      });
                  return done;
                }));
  }

  /** For calls that wait: virtual threads, else a pool. */
  private static Executor newWaiting(RoundSetup setup) {
    if (VirtualThreads.unavailability() == null) {
      ThreadFactory threads = VirtualThreads.factory(setup.cores());
      return call -> threads.newThread(call).start();
    }
    ExecutorService pool =
        Executors.newFixedThreadPool(
            setup.threads(),
            call -> {
              Thread thread = new Thread(call, "waiting");
              thread.setDaemon(true);
              return thread;
            });
    return pool;
  }

  @Override
  public void end() {
    colors.close();
    mely.close();
  }
}
