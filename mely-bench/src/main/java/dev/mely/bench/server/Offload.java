package dev.mely.bench.server;

import dev.mely.bench.baseline.VirtualThreads;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/** What runs the handlers of a connection's streams. */
enum Offload {
  /** The connection's event loop, of Netty's own group. */
  STOCK("stock", Group.STOCK),

  /** {@code addLast} with a {@code DefaultEventExecutorGroup}: one of its threads per stream. */
  EXECUTOR_GROUP("executor-group", Group.STOCK),

  /** {@code addLast} with a {@code NonStickyEventExecutorGroup}. */
  NON_STICKY("non-sticky", Group.STOCK),

  /** gRPC's default: a shared cached pool, with a thread for each request that runs. */
  GRPC_POOL("grpc-pool", Group.STOCK),

  /** A pool of as many threads as cores. */
  POOL("pool", Group.STOCK),

  /** A virtual thread for each request, with as many carriers as cores. */
  VIRTUAL("virtual", Group.STOCK),

  /** The connection's color: its handlers all run in it. */
  MELY("mely", Group.MELY),

  /** HTTP/2: a color for each stream. */
  MELY_STREAMS("mely-streams", Group.MELY),

  /** A color for each call. */
  MELY_CALLS("mely-calls", Group.MELY),

  /** A color for each task of a call. */
  MELY_TASKS("mely-tasks", Group.MELY);

  private final String label;
  private final Group group;

  Offload(String label, Group group) {
    this.label = label;
    this.group = group;
  }

  /** The name on the command line. */
  String label() {
    return label;
  }

  /** The group of the connection. */
  Group group() {
    return group;
  }

  /** Why it cannot run on this JDK; null if it can. */
  @Nullable String unavailability() {
    return this == VIRTUAL ? VirtualThreads.unavailability() : null;
  }

  /** The executor of {@link #POOL} and {@link #VIRTUAL}; for others the calling thread. */
  Executor executor(int cores) {
    if (this == POOL) {
      return Executors.newFixedThreadPool(cores, new DefaultThreadFactory(label, true));
    }
    if (this == VIRTUAL) {
      ThreadFactory threads = VirtualThreads.factory(cores);
      return task -> threads.newThread(task).start();
    }
    return Runnable::run;
  }
}
