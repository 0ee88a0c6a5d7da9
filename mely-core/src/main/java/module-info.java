/** The Mely runtime: colored events, run by workers that steal from each other. */
module dev.mely {
  requires org.jctools.core;
  requires affinity; // OpenHFT Affinity, an automatic module
  requires org.slf4j;
  requires static transitive org.jspecify;

  exports dev.mely;
  exports dev.mely.annotation;
  exports dev.mely.topology;
}
