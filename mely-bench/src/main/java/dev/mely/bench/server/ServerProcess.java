package dev.mely.bench.server;

import dev.mely.bench.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A {@link ServerMain} in a JVM of its own. */
final class ServerProcess implements Server {
  private static final long END_SECONDS = 10;

  private final Process process;
  private final BufferedReader answers;
  private final Writer questions;
  private final int port;

  private ServerProcess(Process process) throws IOException {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.questions = process.outputWriter(StandardCharsets.UTF_8);
    this.port = Integer.parseInt(answer());
  }

  /** Starts a server and waits until it listens. */
  static ServerProcess start(ServerSetup setup, List<String> jvmArgs) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(quietFlags());
    // The CPU time of compiler threads that end would be lost.
    command.add("-XX:-UseDynamicNumberOfCompilerThreads");
    command.addAll(jvmArgs);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(ServerMain.class.getName());
    command.add(Json.line(setup));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try {
      return new ServerProcess(process);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  /** Suppresses JVM warnings about Netty's native library and memory access. */
  private static List<String> quietFlags() {
    String natives = "--enable-native-access=ALL-UNNAMED";
    return Runtime.version().feature() < 24
        ? List.of(natives)
        : List.of(natives, "--sun-misc-unsafe-memory-access=allow");
  }

  @Override
  public int port() {
    return port;
  }

  @Override
  public Usage usage() throws IOException {
    questions.write("\n");
    questions.flush();
    return Objects.requireNonNull(Json.read(answer(), Usage.class));
  }

  private String answer() throws IOException {
    String line;
    while ((line = answers.readLine()) != null) {
      if (line.startsWith(ServerMain.ANSWER)) {
        return line.substring(ServerMain.ANSWER.length());
      }
      System.err.println(line); // output of JVM flags
    }
    throw new IOException("the server has ended: " + process.info().commandLine().orElse("?"));
  }

  @Override
  public void close() throws IOException {
    questions.close();
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
