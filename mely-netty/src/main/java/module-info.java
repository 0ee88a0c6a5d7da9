/** Work-stealing event loops for Netty: each channel is a color of a Mely runtime. */
module dev.mely.netty {
  requires transitive dev.mely;
  requires transitive io.netty.common;
  requires transitive io.netty.transport;
  requires transitive io.netty.buffer;
  // Optional, and so never transitive: a module that requires this one need not have them.
  requires static io.netty.transport.classes.epoll;
  requires static io.netty.transport.classes.io_uring;
  requires static io.netty.transport.classes.kqueue;
  requires static io.netty.transport.unix.common; // comes with each of these
  requires static io.netty.codec; // for dev.mely.netty.monitor, as is the next
  requires static io.netty.codec.http;
  requires static io.netty.codec.http2; // for StreamInitializer, as is the next
  requires static io.netty.handler;
  requires static io.grpc; // for dev.mely.netty.grpc
  requires static java.instrument; // for dev.mely.netty.agent, as is the next
  requires static net.bytebuddy;
  requires static info.picocli; // for dev.mely.netty.doctor, as are the next two
  requires static jdk.attach;
  requires static jdk.management;
  requires static micrometer.core; // a module that uses dev.mely.netty.metrics requires it too
  // These three find their support on the class path alone: a module cannot provide what may be
  // missing.
  requires static io.micronaut.micronaut_core; // as are the next two
  requires static io.micronaut.micronaut_http_netty;
  requires static io.micronaut.micronaut_inject;
  requires static io.vertx.core;
  requires static reactor.blockhound;
  requires static reactor.core; // for dev.mely.netty.spring, as is all that follows
  requires static reactor.netty.core;
  requires static spring.beans;
  requires static spring.boot;
  requires static spring.boot.autoconfigure;
  requires static spring.boot.health;
  requires static spring.boot.reactor.netty;
  requires static spring.context;
  requires static spring.core;
  requires static spring.web;

  exports dev.mely.netty;
  exports dev.mely.netty.grpc;
  exports dev.mely.netty.metrics;
  exports dev.mely.netty.monitor;

  opens dev.mely.netty.spring; // Spring makes its beans by reflection
}
