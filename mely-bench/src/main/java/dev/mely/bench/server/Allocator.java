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

  /** Those with which a side is to be seen: both in Netty's own group. */
  static List<Allocator> of(Side side) {
    return side.group() == Group.STOCK ? List.of(values()) : List.of(ADAPTIVE);
  }

  /** What a side is called that has it. */
  String label(Side side) {
    return side.group() == Group.STOCK ? side.label() + "-" + label() : side.label();
  }
}
