package dev.mely.netty.doctor;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A {@link BusyServer} in a virtual machine of its own, and the command that examines it. */
final class Program implements AutoCloseable {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private final Process process;
  private final BufferedReader output;
  private final BufferedReader errors;
  private final int port;

  /** What a command did. */
  record Result(int status, String said) {}

  /**
   * Starts it.
   *
   * @param path class path
   * @param options of the virtual machine
   */
  Program(String path, String... options) throws IOException {
    List<String> command = new ArrayList<>(List.of(JAVA, "-XX:ActiveProcessorCount=2"));
    command.add("-XX:+EnableDynamicAgentLoading"); // without a warning
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", path, BusyServer.class.getName()));
    process = new ProcessBuilder(command).start();
    output = process.inputReader();
    errors = process.errorReader();
    port = Integer.parseInt(output.readLine());
  }

  /** The packaged doctor. */
  static String doctor() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("target"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("mely-netty-.*-doctor\\.jar"))
          .findFirst()
          .orElseThrow()
          .toAbsolutePath()
          .toString();
    }
  }

  /** Runs the doctor's command. */
  static Result command(String... arguments) throws IOException, InterruptedException {
    Process process = start(arguments);
    String said = new String(process.getInputStream().readAllBytes());
    return new Result(process.waitFor(), said);
  }

  /** Starts the doctor's command. */
  static Process start(String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of(JAVA, "-jar", doctor()));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  int port() {
    return port;
  }

  String pid() {
    return Long.toString(process.pid());
  }

  /** What it has written to the standard error, up to a line that contains something. */
  String saidUntil(String last) throws IOException {
    StringBuilder said = new StringBuilder();
    for (@Nullable String line = errors.readLine(); line != null; line = errors.readLine()) {
      said.append(line).append('\n');
      if (line.contains(last)) {
        return said.toString();
      }
    }
    throw new AssertionError(last + " is missing in\n" + said);
  }

  /** What it has written to the standard error. */
  String said() throws IOException {
    StringBuilder said = new StringBuilder();
    while (errors.ready()) {
      said.append(errors.readLine()).append('\n');
    }
    return said.toString();
  }

  /** Ends it in order. */
  void end() throws IOException {
    process.getOutputStream().close();
    process.onExit().join();
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  @Override
  public void close() throws IOException {
    kill();
    output.close();
    errors.close();
  }
}
