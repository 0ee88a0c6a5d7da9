package dev.mely.nio;

import dev.mely.Mely;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;

/**
 * An echo server in a process of its own, which runs out of file descriptors. Prints its port, then
 * for each question mark a line: accepted, open, errors, polls, descriptors; anything else ends it.
 */
final class FdExhaustionServer {
  private FdExhaustionServer() {}

  public static void main(String[] args) throws Exception {
    loadClasses(Path.of(args[0]));
    loadClasses(Path.of(args[1]));
    warmUp();
    long before = Rig.descriptors();
    ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
    try (ServerSocketChannel server = Rig.listen();
        Nio nio =
            Nio.start(
                Mely.builder()
                    .cores(2)
                    .pinned(false)
                    .errorHandler((color, event, error) -> errors.add(error)))) {
      Echo echo = new Echo(nio, server);
      System.out.println(((InetSocketAddress) server.getLocalAddress()).getPort());
      BufferedReader commands =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
      while ("?".equals(commands.readLine())) {
        System.out.printf(
            "%d %d %d %d %d%n",
            echo.accepted.get(),
            echo.open.get(),
            errors.stream().filter(FdExhaustionServer::isExhaustion).count(),
            nio.mely().inspect().statistics().total().polls(),
            descriptors());
      }
    }
    List<Throwable> others = new ArrayList<>(errors);
    others.removeIf(FdExhaustionServer::isExhaustion);
    System.out.println("left " + (Rig.descriptors() - before) + " others " + others);
  }

  /** Counting takes a descriptor itself: -1 if there is none. */
  private static long descriptors() {
    try {
      return Rig.descriptors();
    } catch (UncheckedIOException e) {
      return -1;
    }
  }

  /**
   * What the JDK opens once and keeps. Ends after the connection has: a handler that runs while its
   * runtime closes is told so, and that is an error.
   */
  private static void warmUp() throws IOException {
    try (Rig rig = new Rig(1);
        ServerSocketChannel server = Rig.listen()) {
      Echo echo = new Echo(rig.nio, server);
      Rig.client(server).close();
      Rig.await().until(() -> echo.accepted.get() == 1 && echo.open.get() == 0);
    }
  }

  private static boolean isExhaustion(Throwable error) {
    return error instanceof IOException && error.getMessage().contains("open files");
  }

  /** A class that is needed first when no descriptor is left could not be loaded from a folder. */
  private static void loadClasses(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder.resolve("dev/mely"))) {
      files
          .map(file -> folder.relativize(file).toString())
          .filter(name -> name.startsWith("dev/mely/nio/") || !name.contains("Test"))
          .filter(name -> name.endsWith(".class") && !name.endsWith("-info.class"))
          .map(name -> name.substring(0, name.length() - 6).replace('/', '.'))
          .forEach(FdExhaustionServer::load);
    }
  }

  private static void load(String name) {
    try {
      Class.forName(name);
    } catch (ClassNotFoundException | LinkageError e) {
      // A test class whose library is not on this class path.
    }
  }
}
