package dev.mely.netty;

/** Readiness of a channel that is none: what the kernel knows, and what the channel wants. */
final class ModelReadiness extends Readiness {
  volatile boolean interested = true;

  /** As the kernel's: changed by system calls. */
  volatile boolean armed = true;

  void submit(boolean wish) {
    interested = wish;
    if (!isMasked()) {
      armed = wish;
    }
  }

  @Override
  boolean isInterested() {
    return interested;
  }

  @Override
  void submitMask() {
    armed = false;
  }

  @Override
  void submitInterest() {
    armed = interested;
  }

  @Override
  boolean isOver() {
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
