package dev.mely.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs a main class in a virtual machine of its own. */
public final class ChildJvm {
  private static final long PATIENCE_SECONDS = 240;

  private ChildJvm() {}

  /**
   * Runs a class and returns what it has written; fails if it fails.
   *
   * @param path class path
   * @param options of the virtual machine
   */
  public static String run(String path, List<String> options, Class<?> main, String... arguments)
      throws Exception {
    return run(List.of(), path, options, main, arguments);
  }

  /**
   * Runs a class by means of another command.
   *
   * @param prefix the words of that command
   */
  public static String run(
      List<String> prefix, String path, List<String> options, Class<?> main, String... arguments)
      throws Exception {
    List<String> command = new ArrayList<>(prefix);
    command.add(java(Path.of(System.getProperty("java.home"))));
    return run(command, path, options, main.getName(), List.of(arguments));
  }

  /**
   * Runs a class on another JDK.
   *
   * @param home its folder
   */
  public static String runOn(Path home, String path, List<String> options, Class<?> main)
      throws Exception {
    List<String> command = new ArrayList<>();
    command.add(java(home));
    return run(command, path, options, main.getName(), List.of());
  }

  private static String java(Path home) {
    return home.resolve("bin").resolve("java").toString();
  }

  private static String run(
      List<String> command, String path, List<String> options, String main, List<String> arguments)
      throws Exception {
    command.add("-XX:TieredStopAtLevel=1"); // short-lived
    command.addAll(options);
    command.addAll(List.of("-cp", path, main));
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    CompletableFuture<Boolean> deadline =
        CompletableFuture.supplyAsync(
            () -> process.destroyForcibly() != null,
            CompletableFuture.delayedExecutor(PATIENCE_SECONDS, TimeUnit.SECONDS));
    String output = new String(process.getInputStream().readAllBytes());
    deadline.cancel(false);
    assertEquals(0, process.waitFor(), output);
    return output;
  }
}
