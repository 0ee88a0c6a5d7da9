package dev.mely;

import java.util.stream.IntStream;

/** The bound that {@link TurnOrder} promises, in turns. */
final class Turns {
  static final int[] CHEAPEST = {1, 1, 4, 16, 64, 128};
  static final int[] ROTATION = {1, 8};

  private Turns() {}

  /** So many batches may begin while a color waits that is the first of its lane. */
  static int max(boolean cheapestFirst) {
    int[] charges = cheapestFirst ? CHEAPEST : ROTATION;
    return TurnOrder.PATIENCE * charges[charges.length - 1] + IntStream.of(charges).sum();
  }
}
