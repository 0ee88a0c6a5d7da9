package dev.mely.nio;

import dev.mely.Event;

/** An event of this package: what a worker does with it wraps the user's handler. */
abstract class IoEvent extends Event {
  /** On a worker, in the event's color. */
  abstract void run() throws Exception;

  /** The runtime has ended before the event could run. On any thread. */
  abstract void rejected();
}
