package dev.mely.bench.server;

import java.util.concurrent.Callable;

/**
 * A service on an event loop group: compared with the same service, under the same load, on Netty's
 * own group and the same transport.
 *
 * @param load of the clients; empty if there is only one
 * @param service of the server
 * @param transport of the group
 * @param group the event loop group
 */
record Side(String load, Service service, Transport transport, Group group) {
  /** A side with a single load. */
  Side(Service service, Transport transport, Group group) {
    this("", service, transport, group);
  }

  /** Transport and group only. */
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

  /** Its reference's name. */
  String reference() {
    return stock().label();
  }

  /** Makes a contender with a load. */
  <L> Contender<L> with(L clients, Callable<Server> starter) {
    return new Contender<>(label(), reference(), clients, starter);
  }
}
