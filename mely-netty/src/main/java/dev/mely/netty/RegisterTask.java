package dev.mely.netty;

import dev.mely.Handler;
import dev.mely.Work;
import java.time.Duration;
import java.util.List;

/**
 * The task with which a channel comes to its event loop. Not worth a steal, whatever it costs: it
 * enters the channel with the I/O handler of the loop's core, and a thief has to wait until that
 * core lets it. Where that core has no time, because it is stuck or much waits there, it is taken
 * all the same.
 */
final class RegisterTask extends LoopTask {
  /** One for all loops: what it costs is declared, so there is nothing to measure for each. */
  static final Handler<RegisterTask> HANDLER =
      new Handler<>(Work.measured().cost(Duration.ofNanos(1))) {
        @Override
        public void handle(RegisterTask task) {
          task.loop.serve(task);
        }

        @Override
        public String stage() {
          return "tasks";
        }

        /** Whose code it runs is not to be known. */
        @Override
        public List<Class<?>> parts() {
          return List.of();
        }

        @Override
        public String toString() {
          return "registration of a channel";
        }

        @Override
        protected void rejected(RegisterTask task) {
          task.loop.dropped(task);
        }
      };

  private final ColorEventLoop loop;

  RegisterTask(ColorEventLoop loop, Runnable task) {
    super(task, false);
    this.loop = loop;
  }
}
