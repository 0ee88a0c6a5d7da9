package dev.mely.netty;

/** The transports whose channels are colored. */
enum Io {
  NIO,
  EPOLL;

  /** A builder for a group of this transport. */
  MelyEventLoopGroupBuilder builder() {
    return MelyEventLoopGroup.builder().transport(name());
  }
}
