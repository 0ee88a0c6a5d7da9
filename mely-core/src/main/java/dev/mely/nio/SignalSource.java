package dev.mely.nio;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * A signal of the process. Signals that come while one is waiting to be handled are merged with it,
 * as those of the operating system are.
 *
 * @param <E> what the handler is given
 */
final class SignalSource<E> extends EventSource {
  private final String name;
  private final Handler<? super E> user;
  private final E event;
  private final Consumer<SignalSource<?>> atEnd;
  private final AtomicBoolean raised = new AtomicBoolean();

  /**
   * @param name of the signal, without "SIG"
   * @param atEnd told when the source has been cancelled
   */
  SignalSource(
      Mely mely,
      String name,
      Color color,
      Handler<? super E> user,
      E event,
      Consumer<SignalSource<?>> atEnd) {
    super(mely, color, user);
    this.name = name;
    this.user = user;
    this.event = event;
    this.atEnd = atEnd;
  }

  String name() {
    return name;
  }

  /** The signal has come. Any thread. */
  void raise() {
    raised.set(true); // before fire: a thread that arms the source looks afterwards
    fire();
  }

  @Override
  void serve() throws Exception {
    raised.set(false); // before the handler: it has not seen what comes from here on
    user.handle(event);
  }

  @Override
  void arm() {
    if (raised.get()) {
      fire();
    }
  }

  /** The next signal, or a resume, finds what this one has left: to fire now would fail again. */
  @Override
  void armAfterFault() {}

  @Override
  void disconnect() {
    atEnd.accept(this);
  }

  @Override
  public String toString() {
    return "signal " + name;
  }
}
