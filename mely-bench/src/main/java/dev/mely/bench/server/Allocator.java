package dev.mely.bench.server;

import java.util.List;
import java.util.Locale;

/** Netty's own allocators: which one channels have that nobody has given another. */
enum Allocator {
  POOLED,
  ADAPTIVE;

  /** Its name in tables, and Netty's. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What a JVM is started with. */
  List<String> flags() {
    return List.of("-Dio.netty.allocator.type=" + label());
  }
}
