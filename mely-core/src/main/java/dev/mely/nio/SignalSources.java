package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The signal sources of one runtime. {@link Signals} has those of the whole process. */
final class SignalSources implements AutoCloseable {
  private final Mely mely;
  private final Set<SignalSource<?>> sources = ConcurrentHashMap.newKeySet();

  SignalSources(Mely mely) {
    this.mely = mely;
  }

  /** Adds a source; see {@link Signals#add} for what it throws. */
  <E> Source add(String name, Color color, Handler<? super E> handler, E event) {
    SignalSource<E> source = new SignalSource<>(mely, name, color, handler, event, this::remove);
    Signals.add(source);
    sources.add(source);
    if (mely.isShutdown()) {
      source.cancel(); // shutdown may have missed it
    }
    return source;
  }

  private void remove(SignalSource<?> source) {
    sources.remove(source);
    Signals.remove(source);
  }

  /** Cancels all. */
  @Override
  public void close() {
    for (SignalSource<?> source : sources) {
      try {
        source.cancel();
      } catch (Throwable t) {
        Log.warn("a signal does not do again what it did before: " + source, t);
      }
    }
  }
}
