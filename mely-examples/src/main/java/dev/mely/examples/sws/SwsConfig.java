package dev.mely.examples.sws;

import dev.mely.StealPolicy;
import dev.mely.topology.AllowedCpus;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;

/**
 * What a server is started with; immutable and valid. Made by {@link #builder(Path)}.
 *
 * @param root the folder to serve, an existing directory
 * @param bind the local address to listen on
 * @param port the port to listen on; 0: any free one
 * @param cores how many event loops there are
 * @param transport how sockets are watched
 * @param policy which heuristics the event loops steal by
 * @param maxClients how many connections there may be at a time
 * @param idleTimeout after how long without movement a connection ends
 * @param drainTimeout how long responses may take to finish when the server stops
 * @param prebuiltFileBytes the largest file kept in memory
 * @param prebuiltBytes how much is kept in memory in all
 * @param workingSet bytes of live buffers at which an event loop puts off reads; 0: any
 */
public record SwsConfig(
    Path root,
    InetAddress bind,
    int port,
    int cores,
    Transport transport,
    StealPolicy policy,
    int maxClients,
    Duration idleTimeout,
    Duration drainTimeout,
    int prebuiltFileBytes,
    long prebuiltBytes,
    long workingSet) {
  private static final int MAX_CORES = 1024;

  /**
   * Checks all values.
   *
   * @throws IllegalArgumentException if one is out of range; the message names it
   */
  public SwsConfig {
    Objects.requireNonNull(bind, "bind");
    Objects.requireNonNull(transport, "transport");
    Objects.requireNonNull(policy, "policy");
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
    check("port", port, 0, 65_535);
    check("cores", cores, 1, MAX_CORES);
    check("max-clients", maxClients, 1, Integer.MAX_VALUE);
    check("idle timeout in ms", idleTimeout.toMillis(), 1, Integer.MAX_VALUE);
    check("drain timeout in ms", drainTimeout.toMillis(), 0, Integer.MAX_VALUE);
    check("largest prebuilt file", prebuiltFileBytes, 0, Integer.MAX_VALUE);
    check("working set", workingSet, 0, Long.MAX_VALUE);
    // Bodies lie outside of the heap, in memory whose limit is by default that of the heap.
    long memory = Runtime.getRuntime().maxMemory();
    if (prebuiltBytes < 0 || prebuiltBytes > memory) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "prebuilt MiB must be 0 to %d, the memory there is (-Xmx), but is %d",
              memory >> 20,
              prebuiltBytes >> 20));
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

  private static void check(String name, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + " must be " + min + " to " + max + ", but is " + value);
    }
  }

  /**
   * Begins with the defaults.
   *
   * @param root the folder to serve
   * @return a builder
   */
  public static Builder builder(Path root) {
    return new Builder(root);
  }

  /** Collects the values; not thread-safe. */
  public static final class Builder {
    private final Path root;
    private String bind = "127.0.0.1";
    private int port = 8080;
    private int cores = AllowedCpus.system().recommendedWorkers();
    private Transport transport = Transport.AUTO;
    private StealPolicy policy = StealPolicy.ALL;
    private int maxClients = 10_000;
    private Duration idleTimeout = Duration.ofSeconds(30);
    private Duration drainTimeout = Duration.ofSeconds(10);
    private int prebuiltFileBytes = 128 * 1024;
    private long workingSet;
    private long prebuiltBytes = Math.min(64L * 1024 * 1024, Runtime.getRuntime().maxMemory() / 4);

    private Builder(Path root) {
      this.root = Objects.requireNonNull(root, "root");
    }

    /**
     * Sets the local address; 127.0.0.1 by default, which only this machine reaches.
     *
     * @param value an address or a host name
     * @return this
     */
    public Builder bind(String value) {
      bind = value;
      return this;
    }

    /**
     * Sets the port; 8080 by default.
     *
     * @param value 0 to 65535; 0: any free one
     * @return this
     */
    public Builder port(int value) {
      port = value;
      return this;
    }

    /**
     * Sets the number of event loops; the number of processors by default.
     *
     * @param value 1 to 1024
     * @return this
     */
    public Builder cores(int value) {
      cores = value;
      return this;
    }

    /**
     * Sets how sockets are watched; {@link Transport#AUTO} by default.
     *
     * @param value the transport
     * @return this
     */
    public Builder transport(Transport value) {
      transport = value;
      return this;
    }

    /**
     * Sets which heuristics the event loops steal by; {@link StealPolicy#ALL} by default.
     *
     * @param value the policy
     * @return this
     */
    public Builder policy(StealPolicy value) {
      policy = value;
      return this;
    }

    /**
     * Sets how many connections there may be at a time; 10,000 by default.
     *
     * @param value 1 or more
     * @return this
     */
    public Builder maxClients(int value) {
      maxClients = value;
      return this;
    }

    /**
     * Sets after how long without movement a connection ends; 30 seconds by default.
     *
     * @param value a millisecond or more
     * @return this
     */
    public Builder idleTimeout(Duration value) {
      idleTimeout = value;
      return this;
    }

    /**
     * Sets how long responses may take to finish when the server stops; 10 seconds by default.
     *
     * @param value zero or more
     * @return this
     */
    public Builder drainTimeout(Duration value) {
      drainTimeout = value;
      return this;
    }

    /**
     * Sets what is kept in memory; by default files up to 128 KiB, 64 MiB or a quarter of the heap
     * in all, whichever is less.
     *
     * @param largestFile bytes
     * @param inAll bytes, at most the heap's limit; 0: nothing is kept
     * @return this
     */
    public Builder prebuilt(int largestFile, long inAll) {
      prebuiltFileBytes = largestFile;
      prebuiltBytes = inAll;
      return this;
    }

    /**
     * Sets how many bytes of live buffers an event loop may have and still read, see {@link
     * dev.mely.netty.MelyEventLoopGroupBuilder#workingSet}; by default any. Not of the build
     * without Netty.
     *
     * @param bytes 0 or more; 0: any
     * @return this
     */
    public Builder workingSet(long bytes) {
      workingSet = bytes;
      return this;
    }

    /**
     * Checks the values.
     *
     * @return a valid configuration
     * @throws IllegalArgumentException if a value is not valid; the message names it
     */
    public SwsConfig build() {
      InetAddress address;
      try {
        address = InetAddress.getByName(bind);
      } catch (UnknownHostException e) {
        throw new IllegalArgumentException("bind address '" + bind + "' is not known here", e);
      }
      return new SwsConfig(
          root,
          address,
          port,
          cores,
          transport,
          policy,
          maxClients,
          idleTimeout,
          drainTimeout,
          prebuiltFileBytes,
          prebuiltBytes,
          workingSet);
    }
  }
}
