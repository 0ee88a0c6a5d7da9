package dev.mely.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Passes everything on to JMH's own command line. */
@Command(
    name = "jmh",
    description = "Runs JMH with its own options: 'jmh -h' lists them, 'jmh -l' the benchmarks.")
public final class JmhCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "<arg>", description = "arguments of JMH")
  private List<String> args = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    org.openjdk.jmh.Main.main(args.toArray(new String[0]));
    return 0;
  }
}
