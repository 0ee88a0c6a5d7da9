package dev.mely;

/** The value between the pads of a {@link PaddedInt}. */
abstract class PaddedValue extends PadBefore {
  int value;
}
