package dev.mely.examples.sws;

import dev.mely.StealPolicy;
import dev.mely.examples.SecondsConverter;
import dev.mely.examples.service.RuntimeOptions;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * What a web server of either build is started with: the options of its command line, each with its
 * default. Not thread-safe; a server that has it does not change it.
 */
public final class SwsConfig {
  @Option(
      names = "--root",
      paramLabel = "DIR",
      converter = RootConverter.class,
      description = "The folder to serve (default: the current one).")
  private Path root = Path.of(".");

  @Option(
      names = "--bind",
      paramLabel = "ADDRESS",
      description = "The local address to listen on; 0.0.0.0 for all (default: 127.0.0.1).")
  private String bind = "127.0.0.1";

  @Option(
      names = "--port",
      paramLabel = "N",
      description = "The port to listen on; 0 for any free one (default: 8080).")
  private int port = 8080;

  @Mixin private RuntimeOptions runtime = new RuntimeOptions();

  @Option(
      names = "--max-clients",
      paramLabel = "N",
      description = "How many connections to serve at a time; others get 503 (default: 10000).")
  private int maxClients = 10_000;

  @Option(
      names = "--idle-timeout",
      paramLabel = "SECONDS",
      converter = SecondsConverter.class,
      description = "When to end a connection on which nothing moves (default: 30).")
  private Duration idleTimeout = Duration.ofSeconds(30);

  @Option(
      names = "--prebuilt-mib",
      paramLabel = "N",
      description =
          "How much to keep in memory of files up to 128 KiB; 0 for nothing (default: 64, or a"
              + " quarter of the heap if that is less).")
  private @Nullable Integer prebuiltMib;

  private int prebuiltFileBytes = 128 * 1024;
  private long prebuiltBytes = Math.min(64L << 20, Runtime.getRuntime().maxMemory() / 4);

  // What only the build on Netty has: options of SwsCommand.
  private Transport transport = Transport.AUTO;
  private long workingSet;

  /** Has the defaults: the current folder. */
  SwsConfig() {}

  /**
   * Has the defaults.
   *
   * @param root the folder to serve
   */
  public SwsConfig(Path root) {
    this.root = root;
  }

  /** Reads the name of a folder, and says what to do where the locale does not allow that. */
  static final class RootConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String name) {
      try {
        return Path.of(name);
      } catch (InvalidPathException e) {
        throw new TypeConversionException(
            "'"
                + name
                + "' is no path in this locale, whose encoding is "
                + System.getProperty("sun.jnu.encoding")
                + "; for names outside of ASCII set LC_ALL=C.UTF-8");
      }
    }
  }

  /** Throws an {@link IllegalArgumentException} if a value is out of range, and names it. */
  void check() {
    if (root.toString().isEmpty()) {
      throw new IllegalArgumentException("root is empty; the current folder is '.'");
    }
    if (!Files.isDirectory(root)) {
      throw new IllegalArgumentException(
          "root '"
              + root
              + "' "
              + (Files.exists(root) ? "is not a directory" : "does not exist" + locale(root)));
    }
    if (!Files.isReadable(root)) {
      throw new IllegalArgumentException("root '" + root + "' may not be read");
    }
    address();
    runtime.check(1);
    RuntimeOptions.check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    RuntimeOptions.check("idle timeout", idleTimeout, 1);
    RuntimeOptions.check("largest prebuilt file", prebuiltFileBytes, 0, Integer.MAX_VALUE);
    RuntimeOptions.check("working set", workingSet, 0, Long.MAX_VALUE);
    // Bodies lie outside of the heap, in memory whose limit is by default that of the heap.
    long memory = Runtime.getRuntime().maxMemory();
    if (prebuiltBytes() < 0 || prebuiltBytes() > memory) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "prebuilt MiB must be 0 to %d, the memory there is (-Xmx), but is %d",
              memory >> 20,
              prebuiltBytes() >> 20));
    }
  }

  /** What may be the reason where Java could not read the name that it was given. */
  private static String locale(Path root) {
    String encoding = System.getProperty("sun.jnu.encoding", "");
    // The name of the current folder, which Java cannot read either, does not show in it.
    boolean readable = !root.toString().equals(".");
    return encoding.equalsIgnoreCase("UTF-8") || readable
        ? ""
        : " (or has a name outside of ASCII, which Java cannot read in a locale whose encoding is "
            + encoding
            + ": set LC_ALL=C.UTF-8)";
  }

  /**
   * Sets the port; 8080 by default.
   *
   * @param value 0 to 65535; 0: any free one
   * @return this
   */
  public SwsConfig port(int value) {
    port = value;
    return this;
  }

  /**
   * Sets the number of event loops; the number of processors by default.
   *
   * @param value 1 to 1024
   * @return this
   */
  public SwsConfig cores(int value) {
    runtime.cores(value);
    return this;
  }

  /**
   * Sets which heuristics the event loops steal by; {@link StealPolicy#ALL} by default.
   *
   * @param value the policy
   * @return this
   */
  public SwsConfig policy(StealPolicy value) {
    runtime.policy(value);
    return this;
  }

  SwsConfig drainTimeout(Duration value) {
    runtime.drainTimeout(value);
    return this;
  }

  SwsConfig maxClients(int value) {
    maxClients = value;
    return this;
  }

  SwsConfig idleTimeout(Duration value) {
    idleTimeout = value;
    return this;
  }

  /** Sets what is kept in memory: files up to a size, and how many bytes in all; 0: nothing. */
  SwsConfig prebuilt(int largestFile, long inAll) {
    prebuiltFileBytes = largestFile;
    prebuiltBytes = inAll;
    return this;
  }

  /** Sets how sockets are watched. */
  SwsConfig transport(Transport value) {
    transport = value;
    return this;
  }

  /**
   * Sets how many bytes of live buffers an event loop may have and still read, see {@link
   * dev.mely.netty.MelyEventLoopGroupBuilder#workingSet}; 0, the default: any.
   */
  SwsConfig workingSet(long value) {
    workingSet = value;
    return this;
  }

  Path root() {
    return root;
  }

  InetSocketAddress address() {
    return RuntimeOptions.address(bind, port);
  }

  int cores() {
    return runtime.cores();
  }

  StealPolicy policy() {
    return runtime.policy();
  }

  Duration drainTimeout() {
    return runtime.drainTimeout();
  }

  int maxClients() {
    return maxClients;
  }

  Duration idleTimeout() {
    return idleTimeout;
  }

  /** The largest file kept in memory. */
  int prebuiltFileBytes() {
    return prebuiltFileBytes;
  }

  /** How much is kept in memory in all. */
  long prebuiltBytes() {
    return prebuiltMib == null ? prebuiltBytes : (long) prebuiltMib << 20;
  }

  Transport transport() {
    return transport;
  }

  long workingSet() {
    return workingSet;
  }
}
