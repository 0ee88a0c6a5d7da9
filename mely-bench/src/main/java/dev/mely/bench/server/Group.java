package dev.mely.bench.server;

import dev.mely.StealPolicy;
import dev.mely.bench.Labels;
import dev.mely.netty.MelyEventLoopGroup;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** The event loop group that serves the connections. */
enum Group {
  /** Netty's own group. */
  STOCK("stock"),

  /** Mely's, with default settings. */
  MELY("mely"),

  /** Mely's without stealing. */
  MELY_OFF("mely-off"),

  /** Mely's with a working set: a core delays reads while it has {@link #BOUND} live bytes. */
  MELY_BOUND("mely-bound");

  /** More than requests and short answers need, and less than slow readers would occupy. */
  static final int BOUND = 16 << 20;

  private final String label;

  Group(String label) {
    this.label = label;
  }

  /** The name on the command line. */
  String label() {
    return label;
  }

  /** The group of that name. */
  static Group parse(String name) {
    return Labels.parse("group", name, List.of(values()), Group::label);
  }

  /** Starts the group. */
  EventLoopGroup start(Transport transport, int cores, boolean pinned, ThreadFactory threads) {
    if (this == STOCK) {
      return new MultiThreadIoEventLoopGroup(cores, threads, transport.newFactory());
    }
    return MelyEventLoopGroup.builder()
        .cores(cores)
        .ioHandlerFactory(transport.newFactory())
        .pinned(pinned)
        .threadFactory(threads)
        .policy(policy())
        .workingSet(this == MELY_BOUND ? BOUND : 0)
        .build();
  }

  /** The steal policy. */
  StealPolicy policy() {
    return this == MELY_OFF ? StealPolicy.OFF : StealPolicy.ALL;
  }

  /** Makes the owner of state shared by all connections: a color, or a loop of Netty's group. */
  static EventExecutor owner(EventLoopGroup group, String name) {
    return group instanceof MelyEventLoopGroup mely ? mely.executor(name) : group.next();
  }
}
