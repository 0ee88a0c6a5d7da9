package dev.mely.examples.kv;

/**
 * A command over all partitions that takes them one after the other, each in an event of its own,
 * so that nobody waits for it longer than for one of them. It sees each partition at another
 * moment.
 */
interface Sweep {
  /** Which partition is next; -1: none. */
  int next();

  /** Looks at it, where it may be read. */
  void visit(Partition partition, Call call);

  /** Answers. */
  void end(Call call);
}
