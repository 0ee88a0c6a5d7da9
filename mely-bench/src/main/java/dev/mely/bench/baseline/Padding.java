package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Two cache lines in front of a subclass's fields, since processors fetch lines in pairs: what one
 * core writes shall not lie beside what another reads (Mely, section IV-C). Whatever is written
 * often extends this, so that two such objects are never neighbors.
 */
@SuppressWarnings("UnusedVariable")
abstract class Padding {
  private long p00;
  private long p01;
  private long p02;
  private long p03;
  private long p04;
  private long p05;
  private long p06;
  private long p07;
  private long p08;
  private long p09;
  private long p10;
  private long p11;
  private long p12;
  private long p13;
  private long p14;
  private long p15;

  /** A field of the class that looks it up. */
  static VarHandle field(MethodHandles.Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
