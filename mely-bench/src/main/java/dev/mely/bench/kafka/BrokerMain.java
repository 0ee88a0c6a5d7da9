package dev.mely.bench.kafka;

import dev.mely.bench.OtherProcesses;
import dev.mely.bench.server.JvmProcess;
import dev.mely.examples.kafka.LocalBroker;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The JVM of the broker. Prints its address; prints its CPU time for each line on standard input;
 * ends at the end of the input.
 */
final class BrokerMain {
  private BrokerMain() {}

  /**
   * Serves until standard input ends.
   *
   * @param args a folder for its files
   */
  public static void main(String[] args) throws Exception {
    try (LocalBroker broker = LocalBroker.start(Path.of(args[0]))) {
      JvmProcess.say(broker.address());
      BufferedReader questions =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (questions.readLine() != null) {
        JvmProcess.say(OtherProcesses.processNanos());
      }
    }
  }
}
