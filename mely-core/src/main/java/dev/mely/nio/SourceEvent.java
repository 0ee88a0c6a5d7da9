package dev.mely.nio;

import dev.mely.Event;

/**
 * The event of a source, posted again and again. The user never sees it: what the user holds is the
 * {@link Source}, which may be sent to any color as a message, and is not this event.
 */
final class SourceEvent extends Event implements IoTask {
  private final EventSource source;

  SourceEvent(EventSource source) {
    this.source = source;
  }

  @Override
  public void run() throws Exception {
    source.run(this);
  }

  @Override
  public void rejected() {
    source.rejected(this);
  }

  /** What error handlers are told of: the source. */
  @Override
  protected Object subject() {
    return source;
  }

  @Override
  public String toString() {
    return source.toString();
  }
}
