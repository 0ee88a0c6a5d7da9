package dev.mely.nio;

import dev.mely.Event;

/** An event of this package: what a worker does with it wraps the user's handler. */
abstract class IoEvent extends Event {
  /** On a worker, in the event's color. */
  abstract void run() throws Exception;

  /** The event will not run: the runtime has ended, or has no memory for it. On any thread. */
  abstract void rejected();
}
