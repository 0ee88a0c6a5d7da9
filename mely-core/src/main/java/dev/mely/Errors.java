package dev.mely;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Reports what user code throws, and where it blocks; never throws itself. */
final class Errors {
  private static final System.Logger LOG = System.getLogger("dev.mely");

  /** What a log shows of the program where a blocked handler loads classes. */
  private static final int OWN_FRAMES = 3;

  private static final Pattern JDK = Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\.");

  /** Methods that load, link or initialize a class. */
  private static final Pattern LOADING =
      Pattern.compile(
          "java\\.lang\\.ClassLoader\\..*|jdk\\.internal\\.loader\\..*"
              + "|java\\.lang\\.invoke\\.MethodHandleNatives\\..*|.*\\.<clinit>");

  private final @Nullable ErrorHandler handler;

  /**
   * @param handler whom to tell; null: log it
   */
  Errors(@Nullable ErrorHandler handler) {
    this.handler = handler;
  }

  /** A handler failed; color is null where there is none (a poller, a rejected event). */
  void report(@Nullable Color color, Object event, Throwable error) {
    try {
      Object subject = event instanceof Event own ? subject(own) : event;
      if (handler == null) {
        logFailure(subject, error);
      } else if (color != null) {
        handler.onError(color, subject, error);
      } else {
        handler.onFailure(subject, error);
      }
    } catch (Throwable ignored) {
      // Nothing is left to be done, and the worker must go on.
    }
  }

  /** The event's subject; the event itself if asking for it fails. */
  private static Object subject(Event event) {
    try {
      return Objects.requireNonNull(event.subject(), "subject");
    } catch (Throwable t) {
      warn("an event cannot name its subject: " + event.getClass().getName(), t);
      return event;
    }
  }

  /** The text of a user's object; the name of its class if {@code toString} fails. */
  static String describe(@Nullable Object object) {
    if (object == null) {
      return "null";
    }
    try {
      String text = object.toString();
      return text != null ? text : object.getClass().getName();
    } catch (Throwable t) {
      return object.getClass().getName();
    }
  }

  static void logFailure(Object source, Throwable error) {
    LOG.log(System.Logger.Level.WARNING, "failed: " + source.getClass().getName(), error);
  }

  /** A handler blocks its core. */
  void reportBlocked(
      int core, Color color, Handler<?> blocked, Duration time, StackTraceElement[] stack) {
    try {
      if (handler != null) {
        handler.onBlocked(core, color, blocked, time, stack);
      } else {
        logBlocked(core, color, blocked, time, stack);
      }
    } catch (Throwable t) {
      warn("a report of a blocked handler failed", t);
    }
  }

  static void logBlocked(
      int core, Color color, Handler<?> blocked, Duration time, StackTraceElement[] stack) {
    StringBuilder text = new StringBuilder();
    text.append("core ").append(core).append(" has been in one handler for ");
    text.append(time.toMillis())
        .append(" ms: ")
        .append(describe(blocked))
        .append(" of ")
        .append(color);
    List<StackTraceElement> frames = loadsClass(stack) ? fewOf(stack) : List.of(stack);
    for (StackTraceElement frame : frames) {
      text.append("\n\tat ").append(frame);
    }
    if (frames.size() < stack.length) {
      text.append("\n\t... ").append(stack.length - frames.size());
      text.append(" more; it loads a class, as programs do in their first seconds");
    }
    LOG.log(System.Logger.Level.WARNING, text.toString());
  }

  private static boolean loadsClass(StackTraceElement[] stack) {
    return Stream.of(stack)
        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
        .anyMatch(LOADING.asMatchPredicate());
  }

  /** Where the thread is, and the program's own frames next to that. */
  private static List<StackTraceElement> fewOf(StackTraceElement[] stack) {
    List<StackTraceElement> few = new ArrayList<>();
    int own = 0;
    for (StackTraceElement frame : stack) {
      boolean isOwn = !JDK.matcher(frame.getClassName()).lookingAt();
      if ((isOwn && own++ < OWN_FRAMES) || few.isEmpty()) {
        few.add(frame);
      }
    }
    return few;
  }

  /** Logs a warning, and ignores a log that fails. */
  static void warn(String message, @Nullable Throwable error) {
    try {
      LOG.log(System.Logger.Level.WARNING, message, error);
    } catch (Throwable ignored) {
      // There is nowhere else to report it.
    }
  }
}
