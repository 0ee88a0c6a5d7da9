package dev.mely.netty.doctor;

import dev.mely.netty.doctor.FakeNetty.Channel;
import dev.mely.netty.doctor.FakeNetty.Loop;
import dev.mely.netty.doctor.FakeNetty.Pipeline;
import dev.mely.netty.doctor.FakeNetty.ServerChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** An event loop whose thread is the test's, and channels of it. */
final class FakeLoop implements Loop {
  /** Like Netty's {@code EventLoopGroup}. */
  static final class Group implements Iterable<Loop> {
    final List<Loop> loops = new ArrayList<>();

    /** Makes a group. */
    Group(int loops) {
      for (int i = 0; i < loops; i++) {
        this.loops.add(new FakeLoop(this));
      }
    }

    FakeLoop loop(int index) {
      return (FakeLoop) loops.get(index);
    }

    @Override
    public Iterator<Loop> iterator() {
      return loops.iterator();
    }
  }

  private final @Nullable Group group;
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  @Nullable Thread thread = Thread.currentThread();
  boolean shuttingDown;
  boolean suspended;
  boolean full;

  FakeLoop(@Nullable Group group) {
    this.group = group;
  }

  /** Makes the pipeline of a channel that is registered with the loop. */
  Pipeline channel(String name) {
    return new FakeChannel(name, null).pipeline();
  }

  /** The same, of a channel that another one made. */
  Pipeline childOf(Pipeline parent, String name) {
    return new FakeChannel(name, parent.channel()).pipeline();
  }

  /** The same, of a channel that makes others. */
  Pipeline server() {
    return new FakeServer().pipeline();
  }

  /** Runs an event of a channel on this thread, as Netty does. */
  static void run(Object pipeline) {
    Hooks.beforeChannel(pipeline);
    Hooks.after();
  }

  void runTasks() {
    for (@Nullable Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      Hooks.beforeTask();
      task.run();
      Hooks.after();
    }
  }

  int tasks() {
    return tasks.size();
  }

  @Override
  public void execute(Runnable task) {
    if (full) {
      throw new RejectedExecutionException("full");
    }
    tasks.add(task);
  }

  @Override
  public @Nullable Object parent() {
    return group;
  }

  @Override
  public boolean inEventLoop() {
    return inEventLoop(Thread.currentThread());
  }

  @Override
  public boolean inEventLoop(Thread asked) {
    return asked == thread;
  }

  @Override
  public boolean isShuttingDown() {
    return shuttingDown;
  }

  @Override
  public boolean isSuspended() {
    return suspended;
  }

  private class FakeChannel implements Channel {
    private final String name;
    private final @Nullable Channel parent;
    private final Pipeline pipeline = () -> this;

    FakeChannel(String name, @Nullable Channel parent) {
      this.name = name;
      this.parent = parent;
    }

    @Override
    public Loop eventLoop() {
      return FakeLoop.this;
    }

    @Override
    public @Nullable Channel parent() {
      return parent;
    }

    @Override
    public Pipeline pipeline() {
      return pipeline;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private final class FakeServer extends FakeChannel implements ServerChannel {
    FakeServer() {
      super("server", null);
    }
  }
}
