package dev.mely;

/** Pads two cache lines, since the prefetcher fetches pairs, before a subclass's fields. */
abstract class PadBefore {
  long b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;
}
