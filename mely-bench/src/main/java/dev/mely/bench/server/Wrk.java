package dev.mely.bench.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** The load generator {@code wrk}, which requests paths in a closed loop. */
final class Wrk {
  private static final String SCRIPT = "requests.lua";

  private final String program;
  private final Path script;
  private final Path paths;
  private final String scheme;
  private final int requestsPerConnection;

  /**
   * @param program to run: a name on the path, or a file
   * @param directory for its script
   * @param site what to request
   * @param requestsPerConnection mean number after which a connection is closed; 0: never
   * @throws IOException if there is no such program; the message names it
   */
  Wrk(String program, Path directory, Site site, int requestsPerConnection) throws IOException {
    this.program = program;
    this.scheme = site.scheme();
    this.requestsPerConnection = requestsPerConnection;
    script = directory.resolve(SCRIPT);
    try (InputStream in =
        Objects.requireNonNull(Wrk.class.getResourceAsStream(SCRIPT), "no " + SCRIPT)) {
      Files.copy(in, script);
    }
    paths = Files.write(directory.resolve("paths"), site.paths());
    if (!isInstalled(program)) {
      throw new IOException(
          "cannot run '"
              + program
              + "', which makes the load: install wrk, or give its path with --wrk");
    }
  }

  /** Whether there is such a program: a name on the path, or a file. */
  static boolean isInstalled(String program) {
    try {
      Process process = new ProcessBuilder(program, "-v").redirectErrorStream(true).start();
      process.getInputStream().readAllBytes();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /**
   * The result of a run.
   *
   * @param requests answered
   * @param failed requests with an error or without an answer in two seconds, and broken
   *     connections
   * @param bytes received
   * @param micros duration
   * @param cpuMicros CPU time of wrk
   * @param p50 median of the latency, in microseconds
   * @param p90 likewise
   * @param p99 likewise
   * @param p999 the 99.9th percentile
   */
  record Result(
      long requests,
      long failed,
      long bytes,
      long micros,
      long cpuMicros,
      long p50,
      long p90,
      long p99,
      long p999) {
    private static final String START = "result ";

    /** Parses wrk's output. */
    static Result parse(String output) throws IOException {
      String line =
          output
              .lines()
              .filter(l -> l.startsWith(START))
              .findFirst()
              .orElseThrow(() -> new IOException("wrk has failed: " + output.strip()));
      long[] n =
          List.of(line.substring(START.length()).split(" ", -1)).stream()
              .mapToLong(Long::parseLong)
              .toArray();
      return new Result(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8]);
    }
  }

  /**
   * Loads a server.
   *
   * @param port on the loopback address
   * @param connections open at a time
   * @param seconds duration
   */
  Result run(int port, int connections, int seconds) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(program, "-t1", "-c" + connections, "-d" + seconds + "s"));
    command.addAll(List.of("-s", script.toString(), scheme + "://127.0.0.1:" + port + "/"));
    command.addAll(List.of("--", paths.toString(), Integer.toString(requestsPerConnection)));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      process.waitFor();
      return Result.parse(output);
    } finally {
      process.destroy();
    }
  }
}
