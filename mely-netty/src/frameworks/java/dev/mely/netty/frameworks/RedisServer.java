package dev.mely.netty.frameworks;

import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A Redis server of its own, on the loopback interface, without persistence. */
final class RedisServer implements AutoCloseable {
  private static final String PROGRAM = "redis-server";
  private static final int ATTEMPTS = 5;

  final int port;
  private final Process process;

  private RedisServer(int port, Process process) {
    this.port = port;
    this.process = process;
  }

  /**
   * Starts a server.
   *
   * @throws IllegalStateException if the program is not installed, or does not start
   */
  static RedisServer start(Path folder) throws IOException, InterruptedException {
    if (!isInstalled()) {
      throw new IllegalStateException(
          PROGRAM + " is not on the PATH; on Debian: apt-get install redis-server");
    }
    // Between the choice of a port and its use somebody else may take it.
    String said = "";
    for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
      int port = freePort();
      Path log = folder.resolve("redis-" + port + ".log");
      Process process = launch(port, folder, log);
      if (answers(port, process)) {
        return new RedisServer(port, process);
      }
      process.destroyForcibly();
      said = Files.readString(log);
    }
    throw new IllegalStateException(PROGRAM + " does not start; the last time it said: " + said);
  }

  private static Process launch(int port, Path folder, Path log) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(PROGRAM, "--port", "" + port, "--bind", "127.0.0.1", "--save", "")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder.command().addAll(List.of("--appendonly", "no", "--dir", folder.toString()));
    // It refuses to start in a locale that is named but not installed.
    builder.environment().put("LC_ALL", "C");
    return builder.start();
  }

  private static boolean isInstalled() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, PROGRAM)));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static boolean answers(int port, Process process) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(TestGroup.PATIENCE_SECONDS);
    while (process.isAlive() && System.nanoTime() < deadline) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        return socket.isConnected();
      } catch (IOException e) {
        Thread.sleep(20); // not yet
      }
    }
    return false;
  }

  @Override
  public void close() {
    process.destroy();
    TestGroup.await().until(() -> !process.isAlive());
  }
}
