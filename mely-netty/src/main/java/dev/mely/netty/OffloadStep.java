package dev.mely.netty;

import dev.mely.Event;
import dev.mely.Handler;
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

  /** Runs steps. Those of one runner share what is measured. */
  static final class Runner extends Handler<OffloadStep> {
    /** The handlers whose steps they are; null: of any. */
    private final @Nullable Class<?> type;

    Runner(@Nullable Class<?> type) {
      super((type == null ? HandlerCosts.UNKNOWN : HandlerCosts.of(type)).begin(null));
      this.type = type;
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
      return type == null
          ? "signals of off-loaded handlers"
          : "messages of " + type.getSimpleName();
    }

    @Override
    protected List<Class<?>> parts() {
      return type == null ? List.of() : List.of(type);
    }
  }
}
