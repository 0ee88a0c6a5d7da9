package dev.mely.examples;

import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Programs of the system that tests of the applications use. */
public final class Programs {
  /** Where the modules are, and the libraries that the applications are shipped with. */
  private static final List<String> SHIPPED =
      List.of(
          "/mely-",
          "/com/google/code/gson/",
          "/info/picocli/",
          "/io/netty/",
          "/net/java/dev/jna/",
          "/net/openhft/",
          "/org/jctools/",
          "/org/jspecify/",
          "/org/ojalgo/",
          "/org/slf4j/");

  private Programs() {}

  /**
   * The class path for a process that may have few files open: each jar takes a descriptor, so it
   * has what the applications are shipped with and the tests' own classes, not the tests'
   * libraries.
   */
  public static String classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> SHIPPED.stream().anyMatch(entry.replace('\\', '/')::contains))
        .collect(Collectors.joining(File.pathSeparator));
  }

  /**
   * Runs a program to its end.
   *
   * @param command its name, and the arguments
   * @return whether it is there, and has succeeded
   */
  public static boolean run(String... command) throws InterruptedException {
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectOutput(Redirect.DISCARD)
              .redirectError(Redirect.INHERIT)
              .start();
      return process.waitFor() == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  /**
   * The virtual machine that runs the tests, as a process that may have few files open.
   *
   * @param descriptors how many
   * @param arguments of the virtual machine: options, a class, and what the class is given
   * @return its command
   */
  public static List<String> javaWithFewDescriptors(int descriptors, String... arguments) {
    List<String> command = new ArrayList<>();
    // A shell may lower the limit of what it becomes; Java cannot.
    command.addAll(List.of("sh", "-c", "ulimit -n " + descriptors + " && exec \"$@\"", "sh"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(arguments));
    return command;
  }

  /**
   * Starts a server of the command line, in little memory and with few files open.
   *
   * @param descriptors how many
   * @param log where its warnings and errors go
   * @param arguments of the command line
   * @return the process; all of its classes are loaded before it begins
   */
  public static Process server(int descriptors, Path log, String... arguments) throws IOException {
    List<String> command =
        javaWithFewDescriptors(
            descriptors,
            "-Xmx128m",
            "-XX:+UseSerialGC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-cp",
            classPath(),
            Loaded.class.getName(),
            Main.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(log.toFile()).start();
  }

  /**
   * Runs a program to its end.
   *
   * @param command its name, and the arguments
   * @return what it has printed
   * @throws AssertionError if it has failed
   */
  public static String output(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + said);
    }
    return said;
  }
}
