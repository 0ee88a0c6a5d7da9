package dev.mely.bench.baseline;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Two cache lines before a subclass's fields (processors fetch lines in pairs), against false
 * sharing (Mely, section IV-C). Every class with frequently written fields extends this, so that no
 * two such objects share a line.
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

  /** A VarHandle of the caller's own field. */
  static VarHandle field(MethodHandles.Lookup lookup, String name, Class<?> type) {
    try {
      return lookup.findVarHandle(lookup.lookupClass(), name, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}
