package dev.mely.netty.peers;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The virtual machines that run tests in one mode, one after another: after a test that hung the
 * next goes on with the rest.
 */
final class Fork {
  private static final String SEED = System.getProperty("mely.seed", "17");
  private static final long TEST_SECONDS = Long.getLong("mely.peers.testSeconds", 90);
  private static final Path DIRECTORY = Path.of("target", "peers").toAbsolutePath();

  private final String name;
  private final Mode mode;
  private final List<String> leftOut;
  private final long testSeconds;

  private boolean ended;

  /** Names of its files begin with the name. What is left out is given by regular expressions. */
  Fork(String name, Mode mode, List<String> leftOut) {
    this(name, mode, leftOut, TEST_SECONDS);
  }

  /** The same with another bound on the time of a test. */
  Fork(String name, Mode mode, List<String> leftOut, long testSeconds) {
    this.name = name + "-" + mode;
    this.mode = mode;
    this.leftOut = leftOut;
    this.testSeconds = testSeconds;
  }

  /**
   * Runs tests.
   *
   * @param tests classes, or classes and methods: {@code a.b.C#d}
   * @param rounds how many times each
   * @param deadline of {@link System#nanoTime()}; what has not run then is not in the results
   */
  Map<String, Result> run(List<String> tests, int rounds, long deadline)
      throws IOException, InterruptedException {
    Path work = Files.createDirectories(DIRECTORY.resolve("work"));
    Path results = DIRECTORY.resolve(name + ".results");
    Path log = DIRECTORY.resolve(name + ".log");
    Files.deleteIfExists(results);
    Files.deleteIfExists(log);
    Path testsFile = DIRECTORY.resolve(name + ".tests");
    Files.write(testsFile, tests);
    Path leftOutFile = DIRECTORY.resolve(name + ".out");
    Files.write(leftOutFile, leftOut);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options());
    command.addAll(List.of("-cp", TestJars.unpacked(DIRECTORY), TestRun.class.getName()));
    command.addAll(List.of(testsFile.toString(), leftOutFile.toString(), results.toString()));
    command.addAll(List.of(Integer.toString(rounds), Long.toString(testSeconds)));
    ended = false;
    int exit = TestRun.HUNG;
    while (exit == TestRun.HUNG && System.nanoTime() < deadline) {
      Process process =
          new ProcessBuilder(command)
              .directory(work.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
              .start();
      try {
        if (!process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          break;
        }
      } finally {
        process.destroyForcibly().waitFor();
      }
      exit = process.exitValue();
      ended = exit == 0;
    }
    return Result.read(results);
  }

  /** Whether the last run came to its end, and the virtual machine did not fail. */
  boolean hasEnded() {
    return ended;
  }

  /** How many groups of the mode's kind the last run has made: with none it shows nothing. */
  int groups() throws IOException {
    try (Stream<String> lines =
        Files.readAllLines(DIRECTORY.resolve(name + ".log"), StandardCharsets.ISO_8859_1)
            .stream()) {
      return lines
          .filter(line -> line.startsWith(TestRun.GROUPS))
          .mapToInt(line -> Integer.parseInt(line.replaceAll("\\D+(\\d+).*", "$1")))
          .sum();
    }
  }

  private List<String> options() {
    List<String> options = new ArrayList<>();
    options.add("-Xmx1g");
    options.add("-D" + Mode.PROPERTY + "=" + mode);
    if (mode == Mode.MIGRATING) {
      options.add("-Ddev.mely.randomMigration=" + SEED);
    }
    options.add("-Ddev.mely.vertx=false"); // Vert.x, too, asks for the mode's groups
    options.add("-Djdk.attach.allowAttachSelf=true");
    options.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    options.addAll(List.of(System.getProperty("mely.peers.options", "").split("\\s+")));
    options.remove("");
    if (Runtime.version().feature() >= 21) {
      options.add("-XX:+EnableDynamicAgentLoading");
    }
    if (Runtime.version().feature() >= 24) {
      options.add("--sun-misc-unsafe-memory-access=allow");
      options.add("--enable-native-access=ALL-UNNAMED");
    }
    return options;
  }
}
