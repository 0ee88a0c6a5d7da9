package dev.mely.bench.baseline;

/** Two cache lines between the fields that other cores read and those written for each event. */
@SuppressWarnings("UnusedVariable")
abstract class CorePadding extends SharedCore {
  private long q00;
  private long q01;
  private long q02;
  private long q03;
  private long q04;
  private long q05;
  private long q06;
  private long q07;
  private long q08;
  private long q09;
  private long q10;
  private long q11;
  private long q12;
  private long q13;
  private long q14;
  private long q15;

  CorePadding(int index, SpinLock lock) {
    super(index, lock);
  }
}
