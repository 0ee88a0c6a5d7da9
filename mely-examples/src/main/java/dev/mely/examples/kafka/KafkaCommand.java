package dev.mely.examples.kafka;

import dev.mely.examples.Ending;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code kafka}: records of a topic, handled in the colors of their keys, and a picture of which
 * key ran where. None of Kafka's types are in the signatures here: the other commands run without
 * it.
 */
@Command(
    name = "kafka",
    description = {
      "Handles records of a Kafka topic, each in the color of its key, and shows every second which"
          + " key has been at work on which core; until it is interrupted (Ctrl-C). Without"
          + " --broker it starts one in this process.",
      "",
      "A second one, in another terminal, shares the topic's partitions: give it the address that"
          + " the first prints, and --rate 0."
    },
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:the --seconds are over",
      "1:could not start, or the consumer has stopped",
      "2:an option is wrong",
      "130, 143:interrupted or terminated, after pending records have been handled"
    })
public final class KafkaCommand implements Callable<Integer> {
  /** For what is pending, and the broker. */
  private static final Duration LONGEST_END = Duration.ofSeconds(60);

  @Spec private CommandSpec spec = CommandSpec.create();

  @Option(
      names = "--broker",
      paramLabel = "HOST:PORT",
      description = "A broker of the cluster to use (default: one that is started here).")
  private @Nullable String broker;

  @Option(
      names = "--topic",
      paramLabel = "NAME",
      description = "Made if it does not exist (default: ${DEFAULT-VALUE}).")
  private String topic = "mely-orders";

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "Of a topic that is made (default: ${DEFAULT-VALUE}).")
  private int partitions = 4;

  @Option(names = "--keys", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int keys = 12;

  @Option(
      names = "--hot",
      paramLabel = "PERCENT",
      description = "How many of the records have the first key, A (default: ${DEFAULT-VALUE}).")
  private int hot = 30;

  @Option(
      names = "--rate",
      paramLabel = "N",
      description = "Records that are sent a second; 0 sends none (default: ${DEFAULT-VALUE}).")
  private int rate = 100;

  @Option(
      names = "--work",
      paramLabel = "MILLIS",
      description = "CPU time that a record takes (default: ${DEFAULT-VALUE}).")
  private int work = 10;

  @Option(
      names = "--cores",
      paramLabel = "N",
      description = "On how many cores to handle records, 0 for all (default).")
  private int cores = 0;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "Ends after as many (default: when it is interrupted).")
  private int seconds = Integer.MAX_VALUE;

  /** For picocli. */
  public KafkaCommand() {}

  @Override
  public Integer call() throws InterruptedException {
    check("--partitions", partitions, 1, 1_000);
    check("--keys", keys, 1, 1_000_000);
    check("--hot", hot, 0, 100);
    check("--rate", rate, 0, 1_000_000);
    check("--work", work, 0, 60_000);
    check("--cores", cores, 0, 1_024);
    check("--seconds", seconds, 1, Integer.MAX_VALUE);
    PrintWriter out = spec.commandLine().getOut();
    KafkaDemo demo = new KafkaDemo(this, out);
    Ending.onSignal("kafka", LONGEST_END, demo::close);
    try {
      demo.begin(this);
    } catch (Exception e) {
      demo.close();
      Throwable cause = e.getCause();
      PrintWriter err = spec.commandLine().getErr();
      err.println("kafka: cannot start: " + e.getMessage() + (cause == null ? "" : ": " + cause));
      err.flush();
      return 1;
    }
    try {
      return demo.show(seconds) ? 0 : 1;
    } finally {
      demo.close();
    }
  }

  private void check(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          option + " must be from " + least + " to " + most + ", but is " + value);
    }
  }

  /** A broker's address; null: one is to be started. */
  @Nullable String broker() {
    return broker;
  }

  String topic() {
    return topic;
  }

  int partitions() {
    return partitions;
  }

  int keys() {
    return keys;
  }

  int hot() {
    return hot;
  }

  int rate() {
    return rate;
  }

  int work() {
    return work;
  }

  int cores() {
    return cores;
  }
}
