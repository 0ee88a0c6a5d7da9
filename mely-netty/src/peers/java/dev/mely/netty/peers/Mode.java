package dev.mely.netty.peers;

import java.util.Locale;

/** What the tests of others run on. */
enum Mode {
  /** Netty's own group. */
  STOCK,
  /** Mely's, as it is by default. */
  MELY,
  /** Mely's, and each activation of a color goes to a core drawn at random. */
  MIGRATING;

  /** System property of a virtual machine that runs tests in this mode. */
  static final String PROPERTY = "dev.mely.netty.peers.mode";

  static Mode named(String name) {
    return valueOf(name.strip().toUpperCase(Locale.ROOT));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
