package dev.mely.bench.kafka;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import dev.mely.bench.server.JvmProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A broker in a JVM of its own: contenders share no heap with it. */
final class Broker implements AutoCloseable {
  private final Path folder;
  private final JvmProcess jvm;
  private final String address;

  private Broker(Path folder, JvmProcess jvm) throws IOException {
    this.folder = folder;
    this.jvm = jvm;
    this.address = jvm.answer();
  }

  /** Starts it, and waits until it is ready. */
  static Broker start(List<String> jvmArgs) throws IOException {
    Path folder = Files.createTempDirectory("mely-kafka");
    JvmProcess jvm = JvmProcess.start(BrokerMain.class, jvmArgs, folder.toString());
    try {
      return new Broker(folder, jvm);
    } catch (IOException | RuntimeException e) {
      jvm.close();
      throw e;
    }
  }

  /** What clients connect to. */
  String address() {
    return address;
  }

  /** CPU time of its JVM so far. */
  long cpuNanos() throws IOException {
    return Long.parseLong(jvm.ask(""));
  }

  /** Ends it and deletes its files. */
  @Override
  public void close() throws IOException {
    jvm.close();
    MoreFiles.deleteRecursively(folder, RecursiveDeleteOption.ALLOW_INSECURE);
  }
}
