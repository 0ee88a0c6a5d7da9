package dev.mely.netty.doctor;

import dev.mely.netty.sharing.Span;
import java.util.List;
import net.bytebuddy.asm.Advice;

/**
 * What the changed methods of Netty call: the events of a channel, and the tasks of an event loop.
 * Public, since it is called from Netty's packages.
 */
public final class Hooks {
  /** Other ones for each examination: a thread may be inside a method while it is put back. */
  private static volatile ThreadLocal<LoopTrace> traces = ThreadLocal.withInitial(LoopTrace::new);

  private Hooks() {}

  /** Begins an examination. */
  static void begin() {
    end();
    Recording.watching = true;
  }

  /** Ends it: forgets all threads. */
  static void end() {
    Recording.watching = false;
    Recording.from = Recording.CLOSED;
    traces = ThreadLocal.withInitial(LoopTrace::new);
    LoopTrace.LOOPS.forEach(LoopTrace::forget);
    LoopTrace.LOOPS.clear();
  }

  /** Called by an event loop: see {@link LoopTrace#handOver}. */
  static List<Span> handOver(long from, WatchedLoop loop) {
    return traces.get().handOver(from, loop);
  }

  /**
   * Before the handlers of a channel run.
   *
   * @param pipeline the channel's
   */
  public static void beforeChannel(Object pipeline) {
    traces.get().begin(pipeline);
  }

  /** Before a task runs. */
  public static void beforeTask() {
    traces.get().begin(null);
  }

  /** After the handlers or the task have run, or have thrown something. */
  public static void after() {
    traces.get().end();
  }

  /** Around {@code fireChannelRead} and {@code fireChannelReadComplete}; copied there. */
  static final class ChannelAdvice {
    private ChannelAdvice() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter(@Advice.This Object pipeline) {
      beforeChannel(pipeline);
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void exit() {
      after();
    }
  }

  /** Around {@code safeExecute}; copied there. */
  static final class TaskAdvice {
    private TaskAdvice() {}

    @Advice.OnMethodEnter(suppress = Throwable.class)
    static void enter() {
      beforeTask();
    }

    @Advice.OnMethodExit(onThrowable = Throwable.class, suppress = Throwable.class)
    static void exit() {
      after();
    }
  }
}
