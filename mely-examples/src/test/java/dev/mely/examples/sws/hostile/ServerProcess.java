package dev.mely.examples.sws.hostile;

import dev.mely.examples.Descriptors;
import dev.mely.examples.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The server in a process of its own, with few descriptors and little memory. */
final class ServerProcess implements AutoCloseable {
  private static final int DESCRIPTORS = 300;

  private final Process process;
  private final BufferedReader out;
  private final Path log;

  private ServerProcess(Process process, Path log) {
    this.process = process;
    this.out = process.inputReader();
    this.log = log;
  }

  /** Starts it; the end of its start-up is waited for by {@link #address}. */
  static ServerProcess start(Path root, Path log, String... options) throws IOException {
    List<String> arguments = new ArrayList<>();
    arguments.addAll(List.of("sws", "--port=0", "--cores=2", "--root=" + root));
    arguments.addAll(List.of(options));
    Process process = Programs.server(DESCRIPTORS, log, arguments.toArray(String[]::new));
    return new ServerProcess(process, log);
  }

  /** Where it listens; null: it has ended before. */
  @Nullable InetSocketAddress address() throws IOException {
    String line = out.readLine();
    if (line == null) {
      return null;
    }
    String port = line.replaceFirst(".* at http://127\\.0\\.0\\.1:(\\d+)/ with .*", "$1");
    return new InetSocketAddress("127.0.0.1", Integer.parseInt(port));
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** How many sockets it has open. */
  int sockets() throws IOException {
    return (int) descriptors().stream().filter(open -> open.startsWith("socket:")).count();
  }

  /**
   * What it has open, but for files that only a JVM opens, when it likes: its jars, its libraries.
   *
   * @param site the folder below which clients make it open files
   */
  List<String> descriptors(Path site) throws IOException {
    return descriptors().stream()
        .filter(open -> !open.startsWith("/") || open.startsWith(site + "/"))
        .sorted()
        .toList();
  }

  private List<String> descriptors() throws IOException {
    return Descriptors.open(process.pid()).stream().map(Path::toString).toList();
  }

  /** Sends SIGTERM; returns the exit code, or -1 if it does not end. */
  int terminate() throws InterruptedException {
    process.toHandle().destroy();
    return process.waitFor(120, TimeUnit.SECONDS) ? process.exitValue() : -1;
  }

  /** What it has logged. */
  String log() throws IOException {
    return Files.readString(log);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
