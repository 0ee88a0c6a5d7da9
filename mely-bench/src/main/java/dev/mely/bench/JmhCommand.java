package dev.mely.bench;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.PatternSyntaxException;
import org.openjdk.jmh.runner.BenchmarkList;
import org.openjdk.jmh.runner.format.OutputFormatFactory;
import org.openjdk.jmh.runner.options.VerboseMode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Passes all arguments on to JMH's own command line. */
@Command(
    name = JmhCommand.NAME,
    description = "Runs JMH with its own options: 'jmh -h' lists them, 'jmh -l' the benchmarks.")
public final class JmhCommand implements Callable<Integer> {
  static final String NAME = "jmh";

  @Parameters(arity = "0..*", paramLabel = "<arg>", description = "arguments of JMH")
  private List<String> args = new ArrayList<>();

  /** Ends the process with JMH's own exit code. */
  @Override
  public Integer call() throws IOException {
    org.openjdk.jmh.Main.main(args.toArray(new String[0]));
    return 0;
  }

  /** Whether JMH finds a benchmark by a regular expression; false for an invalid one. */
  static boolean finds(String expression) {
    PrintStream nowhere =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    try {
      return !BenchmarkList.defaultList()
          .find(
              OutputFormatFactory.createFormatInstance(nowhere, VerboseMode.SILENT),
              List.of(expression),
              List.of())
          .isEmpty();
    } catch (PatternSyntaxException e) {
      return false;
    }
  }
}
