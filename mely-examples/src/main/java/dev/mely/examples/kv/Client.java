package dev.mely.examples.kv;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the server knows of a connection as the sender of commands. Belongs to whoever runs these:
 * the {@link Walk}, wherever it is.
 */
final class Client {
  /** A command that waits for EXEC. */
  static final class Queued {
    final Command command;
    final byte[][] words;

    Queued(Command command, byte[][] words) {
      this.command = command;
      this.words = words;
    }
  }

  final long id;

  String name = "";

  /** The queue between MULTI and EXEC; null: there was no MULTI. */
  @Nullable List<Queued> queue;

  long queuedBytes;

  /** A command could not be queued: EXEC does nothing. */
  boolean refused;

  /**
   * A watched key has changed. Set in the colors of the partitions that are watched; looked at, and
   * forgotten, by who writes all of them.
   */
  boolean touched;

  final Map<Bytes, Watch> watches = new LinkedHashMap<>();

  final Set<Bytes> channels = new LinkedHashSet<>();
  final Set<Bytes> patterns = new LinkedHashSet<>();

  /** Nothing more is done for it. */
  boolean quit;

  Client(long id) {
    this.id = id;
  }

  boolean inTransaction() {
    return queue != null;
  }

  void multi() {
    queue = new ArrayList<>();
    queuedBytes = 0;
    refused = false;
  }

  void endTransaction() {
    queue = null;
    queuedBytes = 0;
    refused = false;
  }

  int subscriptions() {
    return channels.size() + patterns.size();
  }
}
