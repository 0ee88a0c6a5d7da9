package dev.mely.netty;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Inspection;
import dev.mely.Mely;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An event of off-loaded handlers. It takes no room where pending events are bounded: reads are
 * held back instead, and a signal that is refused would leave the handlers in a wrong state.
 */
abstract class OffloadStep extends Event {
  OffloadStep() {
    super(false);
  }

  /** In the color. */
  abstract void run();

  /** In place of {@link #run}, when the runtime has ended. */
  abstract void drop();

  /** The stage of messages for a class of handlers; functions of one class share it. */
  static String messagesOf(Class<?> type) {
    String name = type.getName();
    int lambda = name.indexOf("$$Lambda");
    String plain = lambda < 0 ? name : name.substring(0, lambda);
    return "messages of " + plain.substring(plain.lastIndexOf('.') + 1).replace('$', '.');
  }

  /** Runs steps. Those of one runner share what is measured. */
  static final class Runner extends Handler<OffloadStep> {
    /** One for each class of handlers, so that all share what is measured. */
    private static final ClassValue<Runner> OF_CLASS =
        new ClassValue<>() {
          @Override
          protected Runner computeValue(Class<?> type) {
            return new Runner(type);
          }
        };

    /** The handlers whose steps they are; null: of any. */
    private final @Nullable Class<?> type;

    Runner(@Nullable Class<?> type) {
      super((type == null ? HandlerCosts.UNKNOWN : HandlerCosts.of(type)).begin(null).background());
      this.type = type;
    }

    /** The one for messages of handlers of that class. */
    static Runner of(Class<?> type) {
      return OF_CLASS.get(type);
    }

    /**
     * The core at which the color of new handlers begins: the channel's, if its messages are too
     * short for a steal.
     */
    int firstCore(Mely mely) {
      Inspection now = mely.inspect();
      int here = now.currentCore();
      return here >= 0 && costNanos() <= now.stealCostNanos() ? here : now.emptierCore();
    }

    @Override
    public void handle(OffloadStep step) {
      step.run();
    }

    @Override
    protected void rejected(OffloadStep step) {
      step.drop();
    }

    @Override
    protected String stage() {
      return type == null ? "signals of off-loaded handlers" : messagesOf(type);
    }

    @Override
    protected List<Class<?>> parts() {
      return type == null ? List.of() : List.of(type);
    }
  }
}
