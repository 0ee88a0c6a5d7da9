package dev.mely.bench.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.HdrHistogram.Histogram;

/** The load generator {@code h2load}, with one connection; it counts statuses and bytes. */
final class H2load implements StreamsClient {
  private static final int DIGITS = 3;

  private static final Pattern REQUESTS =
      Pattern.compile("(\\d+) succeeded, (\\d+) failed, (\\d+) errored, (\\d+) timeout");
  private static final Pattern STATUS = Pattern.compile("status codes: (\\d+) 2xx");
  private static final Pattern DATA = Pattern.compile("\\((\\d+)\\) data");

  /** Last line of the shell's {@code times}: user and system time of its children. */
  private static final Pattern CPU = Pattern.compile("(\\d+)m([\\d.]+)s (\\d+)m([\\d.]+)s\\s*$");

  private final String program;
  private final Path log;

  /**
   * @param program to run: a name on the path, or a file
   * @throws IOException if there is no such program; the message names it
   */
  H2load(String program) throws IOException {
    this.program = program;
    if (!Wrk.isInstalled(program)) {
      throw new IOException(
          "cannot run '"
              + program
              + "', which makes the load: install nghttp2-client, or give its path with --h2load");
    }
    log = Files.createTempFile("mely-h2load", ".log");
  }

  @Override
  public Result run(Load load) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", "\"$0\" \"$@\"; times", program));
    command.addAll(List.of("-t1", "-c1", "-m" + load.streams()));
    command.add("-D" + Math.max(1, TimeUnit.NANOSECONDS.toMillis(load.nanos())) + "ms");
    command.add("--log-file=" + log);
    command.add("http://127.0.0.1:" + load.port() + "/" + load.micros());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Files.writeString(log, "");
    Process process = builder.start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return parse(output, Files.readAllLines(log), load.streams());
    } finally {
      process.destroy();
    }
  }

  /**
   * Makes the result of its output and its log.
   *
   * @param streams which may have received a part of a response at the end
   * @throws IOException if a response is missing, or has another status or length
   */
  static Result parse(String output, List<String> log, int streams) throws IOException {
    Matcher requests = find(REQUESTS, output);
    long succeeded = Long.parseLong(requests.group(1));
    boolean failed = false;
    for (int i = 2; i <= requests.groupCount(); i++) {
      failed |= !requests.group(i).equals("0");
    }
    long ok = Long.parseLong(find(STATUS, output).group(1));
    long missing = succeeded * StreamAnswer.BYTES - Long.parseLong(find(DATA, output).group(1));
    if (failed || ok < succeeded || Math.abs(missing) > (long) streams * StreamAnswer.BYTES) {
      throw new IOException("there are wrong answers: " + output.strip());
    }
    Histogram times = new Histogram(DIGITS);
    for (String line : log) {
      times.recordValue(Long.parseLong(line.split("\t", -1)[2])); // start, status, duration
    }
    Matcher cpu = find(CPU, output);
    double cpuNanos = nanos(cpu.group(1), cpu.group(2)) + nanos(cpu.group(3), cpu.group(4));
    return new Result(
        succeeded, (long) cpuNanos, times.getValueAtPercentile(50), times.getValueAtPercentile(99));
  }

  private static double nanos(String minutes, String seconds) {
    return (60 * Double.parseDouble(minutes) + Double.parseDouble(seconds)) * 1e9;
  }

  private static Matcher find(Pattern pattern, String output) throws IOException {
    Matcher matcher = pattern.matcher(output);
    if (!matcher.find()) {
      throw new IOException("h2load has failed: " + output.strip());
    }
    return matcher;
  }

  @Override
  public void close() throws IOException {
    Files.delete(log);
  }
}
