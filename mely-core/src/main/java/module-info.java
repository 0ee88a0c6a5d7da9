/** The Mely runtime: a work-stealing scheduler of colored events. */
@SuppressWarnings("module") // dev.mely.netty is compiled later
module dev.mely {
  requires org.jctools.core;
  requires static affinity; // OpenHFT Affinity, an automatic module; pinning is refused without it
  requires static kafka.clients; // dev.mely.kafka, an automatic module
  requires static micrometer.core; // a module that uses KafkaColorsMetrics requires it too
  requires static java.management; // dev.mely.jmx
  requires static jdk.jfr; // the flight recorder
  requires transitive org.jspecify; // annotations in the signatures
  requires static jdk.unsupported; // signals, which are refused without it

  exports dev.mely;
  exports dev.mely.annotation;
  exports dev.mely.jit to
      dev.mely.netty;
  exports dev.mely.jmx;
  exports dev.mely.kafka;
  exports dev.mely.nio;
  exports dev.mely.pinning;
  exports dev.mely.pool;
  exports dev.mely.report;
  exports dev.mely.spi;
  exports dev.mely.stage;
  exports dev.mely.topology to
      dev.mely.netty;
}
