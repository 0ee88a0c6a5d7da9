package dev.mely.bench.server;

import java.util.List;
import java.util.Locale;

/** A protocol with many streams on a connection. */
enum Protocol {
  /** HTTP/2 in clear text, with prior knowledge. */
  H2,

  /** gRPC, with messages of plain bytes. */
  GRPC;

  /** The name in tables. */
  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What can run its streams, the reference first. */
  List<Offload> offloads() {
    return this == H2 ? Http2Service.OFFLOADS : GrpcService.OFFLOADS;
  }
}
