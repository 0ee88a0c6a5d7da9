package dev.mely.bench.kafka;

import dev.mely.bench.Labels;
import dev.mely.bench.baseline.VirtualThreads;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** All consumers, by name. */
enum Contender {
  /** A core runs the handler. */
  MELY(MelyConsumer::direct),

  /** The handler begins what waits, and returns its future. */
  MELY_ASYNC(MelyConsumer::async),

  /** The reference: the thread that polls handles, too. */
  PLAIN(PlainConsumers::one),

  /** Such a consumer per partition, which is the most that a group can use. */
  PLAIN_PARTITIONS(PlainConsumers::ofPartitions),

  /** Confluent's, ordered by key. */
  PARALLEL_CONSUMER(ParallelConsumer::new),

  /** One per record, which waits for the one before it of its key. */
  VIRTUAL_THREADS(VirtualThreadConsumer::new),

  /** Kafka's queues, which keep no order. */
  SHARE_GROUP(ShareConsumers::new);

  /** Begins to consume. */
  @FunctionalInterface
  private interface Starter {
    Consumption start(RoundSetup setup, Ledger ledger) throws Exception;
  }

  @SuppressWarnings("ImmutableEnumChecker") // a function without state
  private final Starter starter;

  Contender(Starter starter) {
    this.starter = starter;
  }

  Consumption start(RoundSetup setup, Ledger ledger) throws Exception {
    return starter.start(setup, ledger);
  }

  /** Whether the records of a key are handled in their order. */
  boolean keepsOrder() {
    return this != SHARE_GROUP;
  }

  /** Why it has no place in a comparison; null if it has. */
  private @Nullable String absence(Effort effort, int partitions) {
    if (this == VIRTUAL_THREADS) {
      return VirtualThreads.unavailability();
    }
    if (this == MELY_ASYNC && !effort.waits()) {
      return "only for handlers that wait";
    }
    return this == PLAIN_PARTITIONS && partitions == 1 ? "with one partition as plain" : null;
  }

  /**
   * The contenders that have a place in a table; prints why others are not among them.
   *
   * @throws ParameterException if none has
   */
  static List<Contender> playing(
      CommandSpec spec, List<Contender> chosen, Effort effort, int partitions, String table) {
    List<Contender> playing = new ArrayList<>();
    for (Contender contender : chosen) {
      String absence = contender.absence(effort, partitions);
      if (absence == null) {
        playing.add(contender);
      } else {
        System.err.println("left out of " + table + ": " + contender.label() + ": " + absence);
      }
    }
    if (playing.isEmpty()) {
      throw new ParameterException(spec.commandLine(), "no contender is left for " + table);
    }
    return playing;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Contender parse(String name) {
    return Labels.parse("contender", name, List.of(values()), Contender::label);
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(Contender::label).toList();
  }
}
