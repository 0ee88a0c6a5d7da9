package dev.mely.netty;

/** A model of a channel: what the kernel knows, and the channel's interest. */
final class ModelSource implements Readiness.Source {
  final Readiness readiness = new Readiness(this);

  volatile boolean interested = true;

  /** As the kernel's: changed by system calls. */
  volatile boolean armed = true;

  void submit(boolean wish) {
    interested = wish;
    if (!readiness.isMasked()) {
      armed = wish;
    }
  }

  @Override
  public boolean isInterested() {
    return interested;
  }

  @Override
  public void submitMask() {
    armed = false;
  }

  @Override
  public void submitInterest() {
    armed = interested;
  }

  @Override
  public boolean isOver() {
    return false;
  }

  @Override
  public boolean isValid() {
    return true;
  }

  @Override
  public void close() {
    throw new AssertionError("nothing is thrown here");
  }
}
