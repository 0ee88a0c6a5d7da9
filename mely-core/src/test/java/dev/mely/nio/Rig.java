package dev.mely.nio;

import com.sun.management.UnixOperatingSystemMXBean;
import dev.mely.Color;
import dev.mely.Mely;
import dev.mely.MelyBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Assertions;

/** A runtime under test, which must have reported no error when it is closed. */
final class Rig implements AutoCloseable {
  static {
    try {
      ServerSocketChannel.open().close(); // what the JDK opens once and keeps
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final ConcurrentLinkedQueue<Throwable> errors = new ConcurrentLinkedQueue<>();
  final Nio nio;

  Rig(int cores) throws IOException {
    this(cores, builder -> builder);
  }

  Rig(int cores, UnaryOperator<MelyBuilder> settings) throws IOException {
    MelyBuilder builder =
        Mely.builder()
            .cores(cores)
            .pinned(false)
            .stuckAfter(Duration.ofMillis(1))
            .errorHandler((color, event, error) -> errors.add(error));
    nio = Nio.start(settings.apply(builder));
  }

  Mely mely() {
    return nio.mely();
  }

  /** Until the core has polled and what it has found has run. */
  void pollAtLeastOnce(Color color) throws InterruptedException {
    for (int i = 0; i < 2; i++) {
      long polls = mely().inspect().statistics().total().polls();
      CountDownLatch ran = new CountDownLatch(1);
      mely().execute(color, ran::countDown);
      ran.await();
      await().until(() -> mely().inspect().statistics().total().polls() > polls);
    }
    Assertions.assertEquals(List.of(), List.copyOf(errors));
  }

  /** Looks often, and gives a loaded machine time. */
  static ConditionFactory await() {
    return Awaitility.await()
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(2))
        .atMost(Duration.ofSeconds(120));
  }

  /** Listens on a free port of the loopback interface. */
  static ServerSocketChannel listen() throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.configureBlocking(false);
    return server;
  }

  /** Holds a port at which nobody listens: nobody else can, either. */
  static SocketChannel deaf() throws IOException {
    return SocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** A blocking client. */
  static SocketChannel client(ServerSocketChannel server) throws IOException {
    SocketChannel client = SocketChannel.open(server.getLocalAddress());
    client.setOption(StandardSocketOptions.TCP_NODELAY, true);
    return client;
  }

  /**
   * Open sockets, pipes and selectors of this process. Files are not counted: the JVM opens the
   * jars of the class path when it first looks for a class there.
   */
  static long descriptors() {
    try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      long count = 0;
      for (Path descriptor : open) {
        count += isFile(descriptor) ? 0 : 1;
      }
      return count;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isFile(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("/");
    } catch (IOException e) {
      return true; // closed while we looked
    }
  }

  static long descriptorLimit() {
    return unix().getMaxFileDescriptorCount();
  }

  private static UnixOperatingSystemMXBean unix() {
    return (UnixOperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
  }

  @Override
  public void close() {
    nio.close();
    Assertions.assertEquals(List.of(), List.copyOf(errors));
  }
}
