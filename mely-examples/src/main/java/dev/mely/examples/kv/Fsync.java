package dev.mely.examples.kv;

import java.util.Locale;

/** When what is written to the append-only file is synced to the disk. */
public enum Fsync {
  /** Before any answer that depends on it. */
  ALWAYS,
  /** Once a second. */
  EVERYSEC,
  /** When the operating system likes. */
  NO;

  /** As the command line has it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
