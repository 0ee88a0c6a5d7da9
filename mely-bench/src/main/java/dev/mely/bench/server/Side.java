package dev.mely.bench.server;

import java.util.concurrent.Callable;

/**
 * A service on an event loop group: compared with the same service, under the same load, on Netty's
 * own group and the same transport.
 *
 * @param load what the clients do; empty if they always do the same
 * @param service what the server does
 * @param transport how Netty talks to the operating system
 * @param group which event loop group serves
 */
record Side(String load, Service service, Transport transport, Group group) {
  /** One that has no load to choose. */
  Side(Service service, Transport transport, Group group) {
    this("", service, transport, group);
  }

  /** Transport and group alone. */
  String loops() {
    return transport.label() + "-" + group.label();
  }

  /** Its name in tables. */
  String label() {
    return load.isEmpty() ? loops() : load + " " + loops();
  }

  /** The same on Netty's own group. */
  Side stock() {
    return new Side(load, service, transport, Group.STOCK);
  }

  /** The name of the one with which it is compared. */
  String reference() {
    return stock().label();
  }

  /** Takes part, with a load. */
  <L> Contender<L> with(L clients, Callable<Server> starter) {
    return new Contender<>(label(), reference(), clients, starter);
  }
}
