package dev.mely.examples.demo;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A process of this program that says lines of JSON. It ends when its standard input does, so it
 * does not outlive this process, however that ends. One thread asks; any may close.
 */
final class Child implements AutoCloseable {
  /** What stands before a line that is meant; others are the virtual machine's. */
  private static final String MARK = "> ";

  private static final Gson GSON = new Gson();
  private static final long LOOK_MILLIS = 2;
  private static final long ANSWER_SECONDS = 60;
  private static final long END_SECONDS = 5;

  private final String name;
  private final Process process;
  private final BufferedReader answers;
  private final Writer questions;

  /**
   * Starts a process.
   *
   * @param name for people
   */
  Child(String name, Class<?> main, String... args) throws IOException {
    this.name = name;
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx192m", "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED"));
    if (Runtime.version().feature() >= 24) {
      command.add("--sun-misc-unsafe-memory-access=allow");
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    answers = process.inputReader(StandardCharsets.UTF_8);
    questions = process.outputWriter(StandardCharsets.UTF_8);
  }

  /** In that process: says something to the one that has started it. */
  static void say(Object what) {
    System.out.println(MARK + GSON.toJson(what));
  }

  void ask(Object question) throws IOException {
    questions.write(GSON.toJson(question) + "\n");
    questions.flush();
  }

  /**
   * Waits for what it says next.
   *
   * @throws IOException if it has ended, or says nothing for a minute
   */
  <T> T answer(Class<T> type) throws IOException, InterruptedException {
    long begun = System.nanoTime();
    while (true) {
      boolean alive = process.isAlive(); // before the look at what it has said until then
      if (answers.ready()) {
        String line = answers.readLine();
        if (line != null && line.startsWith(MARK)) {
          return GSON.fromJson(line.substring(MARK.length()), type);
        }
      } else if (!alive) {
        throw end();
      } else if (System.nanoTime() - begun > TimeUnit.SECONDS.toNanos(ANSWER_SECONDS)) {
        throw new IOException(name + " has said nothing for " + ANSWER_SECONDS + " s");
      } else {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      }
    }
  }

  boolean hasEnded() {
    return !process.isAlive();
  }

  /** Says how it has ended. */
  IOException end() {
    return new IOException(name + " has ended with exit code " + process.exitValue());
  }

  /** Ends the process: it has nothing to keep. */
  @Override
  public void close() {
    process.destroy();
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
