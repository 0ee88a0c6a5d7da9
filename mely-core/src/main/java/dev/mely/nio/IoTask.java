package dev.mely.nio;

/** What a worker does for this package, around a call of the user's handler. */
interface IoTask {
  /** On a worker, in the color. */
  void run() throws Exception;

  /** It will not run: the runtime has ended, or has no memory for it. On any thread. */
  void rejected();
}
