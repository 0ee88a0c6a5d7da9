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
 * Configuration of both web servers: the options of the command line with their defaults. Clients
 * above the maximum get a 503.
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

  // Only for the server on Netty: options of SwsCommand.
  private Transport transport = Transport.AUTO;
  private long workingSet;

  /** Sets the defaults, with the current folder. */
  SwsConfig() {
    this(Path.of("."));
  }

  /**
   * Sets the defaults.
   *
   * @param root the folder to serve
   */
  public SwsConfig(Path root) {
    super(8080, 10_000, 30);
    this.root = root;
  }

  /** Reads the path of a folder; explains what to do if the locale's encoding lacks a character. */
  static final class RootConverter implements ITypeConverter<Path> {
    @Override
    public Path convert(String name) {
      try {
        return Path.of(name);
      } catch (InvalidPathException e) {
        throw new TypeConversionException(
            "'"
                + name
                + "' is not a path in this locale, whose encoding is "
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
    // Bodies are in direct memory, whose default limit is the heap's maximum size.
    long memory = Runtime.getRuntime().maxMemory();
    if (prebuiltBytes() < 0 || prebuiltBytes() > memory) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "prebuilt MiB must be 0 to %d, the maximum heap size (-Xmx), but is %d",
              memory >> 20,
              prebuiltBytes() >> 20));
    }
  }

  /** A hint on the locale, if Java may have failed to decode the path. */
  private static String locale(Path root) {
    String encoding = System.getProperty("sun.jnu.encoding", "");
    // "." does not show the current folder's name, which may be unreadable, too.
    boolean readable = !root.toString().equals(".");
    return encoding.equalsIgnoreCase("UTF-8") || readable
        ? ""
        : " (or has a name outside of ASCII, which Java cannot read in a locale whose encoding is "
            + encoding
            + ": set LC_ALL=C.UTF-8)";
  }

  /** Sets the largest file to keep in memory, and how many bytes in total; 0: nothing. */
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
   * Sets above how many bytes of live buffers an event loop stops reading, see {@link
   * dev.mely.netty.MelyEventLoopGroupBuilder#workingSet}; 0, the default: no limit.
   */
  SwsConfig workingSet(long value) {
    workingSet = value;
    return this;
  }

  Path root() {
    return root;
  }

  /** The largest file kept in memory, in bytes. */
  int prebuiltFileBytes() {
    return prebuiltFileBytes;
  }

  /** How many bytes are kept in memory in total. */
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
