package dev.mely.examples.sws;

import dev.mely.examples.service.ServerOptions;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/**
 * What a web server of either build is started with: the options of its command line, each with its
 * default. Clients above the maximum get 503.
 */
public final class SwsConfig extends ServerOptions<SwsConfig> {
  @Option(
      names = "--root",
      order = -2,
      paramLabel = "DIR",
      converter = RootConverter.class,
      description = "The folder to serve (default: the current one).")
  private Path root;

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
  SwsConfig() {
    this(Path.of("."));
  }

  /**
   * Has the defaults.
   *
   * @param root the folder to serve
   */
  public SwsConfig(Path root) {
    super(8080, 10_000, 30);
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
    check(1, Integer.MAX_VALUE, 1);
    check("largest prebuilt file", prebuiltFileBytes, 0, Integer.MAX_VALUE);
    check("working set", workingSet, 0, Long.MAX_VALUE);
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
