/** A Netty event loop group that runs each channel as a color of a Mely runtime. */
module dev.mely.netty {
  requires transitive dev.mely;
  requires transitive io.netty.common;
  requires transitive io.netty.transport;
  requires io.netty.buffer;
  requires static io.netty.transport.classes.epoll;
  requires static io.netty.transport.unix.common; // comes with epoll
  requires static transitive org.jspecify;

  exports dev.mely.netty;
}
