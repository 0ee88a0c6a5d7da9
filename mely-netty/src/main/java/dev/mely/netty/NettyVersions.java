package dev.mely.netty;

import io.netty.util.Version;
import java.lang.module.ModuleDescriptor;
import java.util.Map;

/** Which Netty is on the class path, for whom an error would tell nothing else. */
final class NettyVersions {
  /** The oldest on which the tests pass: see {@code OldestNettyIT}. */
  static final String OLDEST = "4.2.13";

  private NettyVersions() {}

  /** Adds to an error that Netty is too old, if it is. */
  static void explain(Throwable failure) {
    String found = found(Version.identify(NettyVersions.class.getClassLoader()));
    if (isOld(found)) {
      failure.addSuppressed(
          new IllegalStateException(
              "Mely needs Netty "
                  + OLDEST
                  + " or later, but this is "
                  + found
                  + ": import io.netty:netty-bom, or set netty.version"));
    }
  }

  private static String found(Map<String, Version> artifacts) {
    Version transport = artifacts.get("netty-transport");
    return transport == null ? "" : transport.artifactVersion();
  }

  /** False for what is not a version. */
  static boolean isOld(String version) {
    try {
      return ModuleDescriptor.Version.parse(version)
              .compareTo(ModuleDescriptor.Version.parse(OLDEST))
          < 0;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
