package dev.mely;

/** An event that can be told from others. */
final class Numbered extends Event {
  final int number;

  Numbered(int number) {
    this.number = number;
  }
}
