package dev.mely.netty.grpc;

import dev.mely.Color;
import dev.mely.Handler;
import dev.mely.Mely;
import java.util.List;
import java.util.concurrent.Executor;

/**
 * The handlers of one method's calls, by the step of a call: what each costs is measured apart.
 *
 * <pre>
 *   step             unary: gRPC's task                             long
 *   opening          calls the service, which asks for the message  no
 *   first message    hands it over and runs the service             perhaps
 *   rest             closes the call; further messages              perhaps
 * </pre>
 *
 * <p>With one cost for all, the opening of a call, a matter of microseconds, would wait as long as
 * the service of another one: each call twice.
 */
final class MethodSteps {
  private static final List<String> STEPS = List.of("opening", "first message", "rest");

  private final List<Handler<Runnable>> handlers;

  /** The steps of a method with this full name. */
  MethodSteps(String method) {
    handlers = STEPS.stream().map(step -> handler(method + ", " + step)).toList();
  }

  private static Handler<Runnable> handler(String name) {
    return Handler.<Runnable>of(Runnable::run).background().named(name);
  }

  /** The executor of one call. */
  Executor executor(Mely mely, Color color) {
    return new Call(mely, color);
  }

  /** gRPC submits a task of a call when the one before it has ended. */
  private final class Call implements Executor {
    private final Mely mely;
    private final Color color;
    private int step;

    Call(Mely mely, Color color) {
      this.mely = mely;
      this.color = color;
    }

    @Override
    public void execute(Runnable task) {
      Handler<Runnable> handler = handlers.get(step);
      step = Math.min(step + 1, handlers.size() - 1);
      mely.register(color, handler, task);
    }
  }
}
