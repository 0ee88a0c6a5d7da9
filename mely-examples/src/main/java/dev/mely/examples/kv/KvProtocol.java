package dev.mely.examples.kv;

import dev.mely.Mely;
import dev.mely.examples.service.Connection;
import dev.mely.examples.service.Protocol;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** Gives each connection its {@link Session}. Thread-safe. */
final class KvProtocol implements Protocol {
  private final Mely mely;
  private final Store store;
  private final CommandTable table;
  private final KvConfig config;
  private final AtomicLong lastId = new AtomicLong();
  private final Set<Session> sessions = ConcurrentHashMap.newKeySet();

  KvProtocol(Mely mely, Store store, CommandTable table, KvConfig config) {
    this.mely = mely;
    this.store = store;
    this.table = table;
    this.config = config;
  }

  @Override
  public dev.mely.examples.service.Session open(Connection connection) {
    Session session =
        new Session(
            connection, mely, store, table, config, lastId.incrementAndGet(), sessions::remove);
    sessions.add(session);
    return session;
  }

  /** Drops clients that have not read for too long. */
  void look() {
    sessions.forEach(Session::look);
  }
}
