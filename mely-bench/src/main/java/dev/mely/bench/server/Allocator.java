package dev.mely.bench.server;

import java.util.List;
import java.util.Locale;

/** Netty's own allocators, one of which is the JVM's default for channels. */
enum Allocator {
  POOLED,
  ADAPTIVE;

  /** Its name in tables, and Netty's. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The JVM's flags that choose it. */
  List<String> flags() {
    return List.of("-Dio.netty.allocator.type=" + label());
  }

  /** The allocators to measure a side with: both for Netty's own group. */
  static List<Allocator> of(Side side) {
    return side.group() == Group.STOCK ? List.of(values()) : List.of(ADAPTIVE);
  }

  /** The name of a side with this allocator. */
  String label(Side side) {
    return side.group() == Group.STOCK ? side.label() + "-" + label() : side.label();
  }
}
