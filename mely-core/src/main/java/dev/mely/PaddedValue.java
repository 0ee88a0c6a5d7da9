package dev.mely;

/**
 * The value between the pads of a {@link PaddedInt}. A {@code long}, although an int is kept in it:
 * the JVM would move an int into the gap behind the object's header, in front of the pad.
 */
abstract class PaddedValue extends PadBefore {
  long value;
}
