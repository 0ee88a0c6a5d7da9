package dev.mely.nio;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Which source listens to which signal. A JVM has one handler per signal, so this is one table per
 * process; the first listener replaces the handler that was there, and the last one puts it back.
 *
 * <p>The JDK's only interface to signals is {@code sun.misc.Signal} of the module {@code
 * jdk.unsupported}, which a run-time image may lack. It is reached by reflection, so that the rest
 * of this package does without.
 */
final class Signals {
  private static final String SIGNAL = "sun.misc.Signal";
  private static final String HANDLER = "sun.misc.SignalHandler";

  /** They end a JVM. Where its process ignores one, the JVM installs no handler for it. */
  private static final Set<String> LEFT_IGNORED = Set.of("HUP", "INT", "TERM");

  /** Guarded by the class. */
  private static final Map<String, Listeners> TABLE = new HashMap<>();

  private record Listeners(List<SignalSource<?>> sources, Object previous) {}

  private Signals() {}

  /**
   * Adds a listener.
   *
   * @throws IllegalArgumentException if the platform has no such signal, or keeps it for itself
   * @throws UnsupportedOperationException if this JVM has no signals to offer
   */
  static synchronized void add(SignalSource<?> source) {
    String name = source.name();
    Listeners listeners = TABLE.get(name);
    if (listeners == null) {
      List<SignalSource<?>> sources = new CopyOnWriteArrayList<>();
      listeners = new Listeners(sources, handle(name, handler(sources)));
      TABLE.put(name, listeners);
      if (LEFT_IGNORED.contains(name) && ignores(listeners.previous())) {
        Log.warn(
            "signal "
                + name
                + " never comes: this process ignores it, as one does that nohup has started",
            null);
      }
    }
    listeners.sources().add(source);
  }

  static synchronized void remove(SignalSource<?> source) {
    String name = source.name();
    Listeners listeners = TABLE.get(name);
    if (listeners != null && listeners.sources().remove(source) && listeners.sources().isEmpty()) {
      TABLE.remove(name);
      handle(name, listeners.previous());
    }
  }

  /** A {@code SignalHandler} that raises all sources of the list. */
  private static Object handler(List<SignalSource<?>> sources) {
    return Proxy.newProxyInstance(
        Signals.class.getClassLoader(),
        new Class<?>[] {type(HANDLER)},
        (proxy, method, arguments) ->
            switch (method.getName()) {
              case "handle" -> {
                raise(sources);
                yield null;
              }
              case "equals" -> proxy == arguments[0];
              case "hashCode" -> System.identityHashCode(proxy);
              default -> "the signal handler of " + Signals.class.getName();
            });
  }

  /** A fault at one source keeps the signal from no other one. */
  static void raise(List<SignalSource<?>> sources) {
    for (SignalSource<?> source : sources) {
      try {
        source.raise();
      } catch (Throwable t) {
        Log.warn("a signal waits for the next one: " + source, t);
      }
    }
  }

  /** {@code Signal.handle(new Signal(name), handler)}: returns the handler before. */
  private static Object handle(String name, Object handler) {
    Class<?> type = type(SIGNAL);
    try {
      Object signal = type.getConstructor(String.class).newInstance(name);
      return type.getMethod("handle", type, type(HANDLER)).invoke(null, signal, handler);
    } catch (InvocationTargetException e) {
      throw new IllegalArgumentException("signal " + name + ": " + e.getCause(), e.getCause());
    } catch (ReflectiveOperationException e) {
      throw unsupported(e);
    }
  }

  private static boolean ignores(Object handler) {
    try {
      return handler == type(HANDLER).getField("SIG_IGN").get(null);
    } catch (ReflectiveOperationException e) {
      throw unsupported(e);
    }
  }

  private static Class<?> type(String name) {
    try {
      return Class.forName(name);
    } catch (ClassNotFoundException e) {
      throw unsupported(e);
    }
  }

  private static UnsupportedOperationException unsupported(Exception e) {
    return new UnsupportedOperationException(
        "signals need the module jdk.unsupported, which this run-time image lacks", e);
  }
}
