package dev.mely.netty.agent;

import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor.Version;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** Which Netty a class loader has, by what its jars say of themselves. */
final class NettyVersion {
  /** The oldest that Mely runs on. */
  static final String OLDEST = "4.2.13";

  private NettyVersion() {}

  /**
   * Says why Mely cannot run on a class loader's Netty; null if it can, or if its jars say nothing,
   * as where a program has merged them, and it has what came with 4.2.
   */
  static @Nullable String refusal(ClassLoader loader) throws IOException {
    List<URL> files =
        Collections.list(loader.getResources("META-INF/io.netty.versions.properties"));
    List<String> versions = new ArrayList<>();
    for (URL file : files) {
      Properties properties = new Properties();
      try (InputStream in = file.openStream()) {
        properties.load(in);
      }
      @Nullable String version = properties.getProperty("netty-transport.version");
      if (version != null) {
        versions.add(version);
      }
    }
    if (loader.getResource("io/netty/channel/IoHandlerFactory.class") == null) {
      return tooOld(versions.isEmpty() ? "4.1 or older" : versions.get(0));
    }
    return versions.isEmpty() || isEnough(versions.get(0)) ? null : tooOld(versions.get(0));
  }

  private static String tooOld(String version) {
    return "nothing is replaced: Mely runs on Netty "
        + OLDEST
        + " or newer, but this is "
        + version;
  }

  /** Whether a version is the oldest that works, or newer. */
  static boolean isEnough(String version) {
    try {
      return Version.parse(version).compareTo(Version.parse(OLDEST)) >= 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
