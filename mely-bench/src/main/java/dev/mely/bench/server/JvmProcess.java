package dev.mely.bench.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A JVM that answers each line on its standard input with a line, and ends at the end of the input.
 */
public final class JvmProcess implements AutoCloseable {
  private static final long END_SECONDS = 10;

  /** Prefix of each answer; other lines are output of JVM flags. */
  private static final String ANSWER = "> ";

  private final Process process;
  private final BufferedReader answers;
  private final Writer questions;

  private JvmProcess(Process process) {
    this.process = process;
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.questions = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** Starts a program of this class path. */
  public static JvmProcess start(Class<?> main, List<String> jvmArgs, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(quietFlags());
    // The CPU time of compiler threads that end would be lost.
    command.add("-XX:-UseDynamicNumberOfCompilerThreads");
    command.addAll(jvmArgs);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(args));
    return new JvmProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Suppresses JVM warnings about Netty's native library and memory access. */
  private static List<String> quietFlags() {
    String natives = "--enable-native-access=ALL-UNNAMED";
    return Runtime.version().feature() < 24
        ? List.of(natives)
        : List.of(natives, "--sun-misc-unsafe-memory-access=allow");
  }

  /** In that JVM: answers. */
  public static void say(Object answer) {
    System.out.println(ANSWER + answer);
  }

  /** Asks, and waits for the answer. */
  public String ask(String question) throws IOException {
    questions.write(question + "\n");
    questions.flush();
    return answer();
  }

  /** Waits for the next answer. */
  public String answer() throws IOException {
    String line;
    while ((line = answers.readLine()) != null) {
      if (line.startsWith(ANSWER)) {
        return line.substring(ANSWER.length());
      }
      System.err.println(line);
    }
    throw new IOException("the process has ended: " + process.info().commandLine().orElse("?"));
  }

  @Override
  public void close() throws IOException {
    try {
      questions.close();
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(); // its files may be deleted now
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
