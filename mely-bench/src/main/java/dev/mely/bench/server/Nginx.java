package dev.mely.bench.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** The web server {@code nginx}, with a configuration of its own. */
final class Nginx implements Server {
  private static final long START_MILLIS = 10_000;
  private static final long LOOK_MILLIS = 20;
  private static final long END_SECONDS = 5;

  private final Process process;
  private final int port;

  private Nginx(Process process, int port) {
    this.process = process;
    this.port = port;
  }

  /**
   * Starts the server and waits until it listens.
   *
   * @param program a name on the path, or a file
   * @param workers number of worker processes
   * @param files the directory to serve; the configuration is written beside it
   * @throws IOException if it ends at once; the reason is on standard error
   */
  static Nginx start(String program, int workers, Path files) throws IOException {
    int port = freePort();
    Path directory = files.resolveSibling("nginx");
    Files.createDirectories(directory);
    Path configuration =
        Files.writeString(directory.resolve("nginx.conf"), configuration(workers, port, files));
    Process process =
        new ProcessBuilder(
                program, "-p", directory + "/", "-c", configuration.toString(), "-e", "stderr")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    Nginx nginx = new Nginx(process, port);
    try {
      nginx.awaitListening();
      return nginx;
    } catch (IOException | RuntimeException e) {
      nginx.close();
      throw e;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** A static file server tuned by nginx's manual; workers run as the current user. */
  private static String configuration(int workers, int port, Path files) {
    String user = System.getProperty("user.name");
    return String.format(
        Locale.ROOT,
        """
        %s
        worker_processes %d;
        daemon off;
        pid nginx.pid;
        error_log stderr;
        events { worker_connections 8192; }
        http {
          access_log off;
          sendfile on;
          tcp_nopush on;
          keepalive_requests 1000000000;
          open_file_cache max=1000;
          open_file_cache_valid 60s;
          client_body_temp_path body;
          proxy_temp_path proxy;
          fastcgi_temp_path fastcgi;
          uwsgi_temp_path uwsgi;
          scgi_temp_path scgi;
          server {
            listen 127.0.0.1:%d backlog=1024;
            root "%s";
          }
        }
        """,
        user.equals("root") ? "user root;" : "",
        workers,
        port,
        files);
  }

  private void awaitListening() throws IOException {
    long start = System.nanoTime();
    while (!listens()) {
      boolean late = System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(START_MILLIS);
      if (late || !process.isAlive()) {
        throw new IOException("nginx did not start");
      }
      try {
        TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted while nginx started", e);
      }
    }
  }

  private boolean listens() {
    try {
      new Socket(InetAddress.getLoopbackAddress(), port).close();
      return true;
    } catch (IOException e) {
      return false; // not yet
    }
  }

  @Override
  public int port() {
    return port;
  }

  /** Sums up the use of its processes, with a resolution of 10 ms. */
  @Override
  public Usage usage() {
    long cpu = 0;
    long switches = 0;
    for (ProcessHandle p :
        Stream.concat(Stream.of(process.toHandle()), process.descendants()).toList()) {
      cpu += p.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
      switches += Usage.countSwitches(Path.of("/proc/" + p.pid() + "/task"));
    }
    return new Usage(cpu, switches, Steals.NONE, JvmCpu.UNKNOWN, List.of(), Footprint.NONE);
  }

  @Override
  public void close() {
    process.destroy(); // the master ends its workers
    try {
      if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
