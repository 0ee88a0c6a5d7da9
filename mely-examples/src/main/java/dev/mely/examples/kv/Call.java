package dev.mely.examples.kv;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A command that is being done: what it was told, what it reaches, and what it leaves for the log.
 * One for each connection, used again and again; belongs to whoever runs its commands.
 */
final class Call {
  private static final byte[] DEL = Bytes.of("DEL");

  final Store store;
  final Client client;
  final Reply reply;

  /** Where the client is; null: there is none, a log is read. */
  private final @Nullable Session session;

  private byte[][] words = {};
  private String name = "";

  /** The time; the same for all of a transaction. 0: not asked for yet. */
  private long now;

  private byte @Nullable [] lastKey;
  private long lastHash;

  /** What has been done, as commands. */
  private final List<byte[][]> effects = new ArrayList<>();

  /** The command has changed something, and its own words say what. */
  private boolean changed;

  /**
   * Of a connection, or of the log that is read.
   *
   * @param session where the client is; null: there is none, a log is read
   */
  Call(Store store, Client client, Reply reply, @Nullable Session session) {
    this.store = store;
    this.client = client;
    this.reply = reply;
    this.session = session;
  }

  /** The next command is done now. */
  void begin() {
    // Nothing ends while a log is read: what has ended, the log says.
    now = session == null ? Long.MIN_VALUE : 0;
    lastKey = null;
  }

  /** Does a command, and answers. */
  void run(Command command, byte[][] arguments) {
    words = arguments;
    name = command.name();
    changed = false;
    int mark = reply.size();
    try {
      Command.Body body = command.body();
      if (body != null) {
        body.run(this);
      } else {
        sweep(command);
      }
    } catch (CommandFailure e) {
      reply.truncate(mark);
      reply.error(e.text());
    }
    if (changed && store.log() != null) {
      effects.add(arguments);
    }
  }

  /** All partitions at once: somebody has them all. */
  private void sweep(Command command) throws CommandFailure {
    Sweep sweep = sweep(command, words);
    for (int p = sweep.next(); p >= 0; p = sweep.next()) {
      sweep.visit(store.partition(p), this);
    }
    sweep.end(this);
  }

  Sweep sweep(Command command, byte[][] arguments) throws CommandFailure {
    words = arguments;
    name = command.name();
    Command.Sweeper sweeper = command.sweep();
    if (sweeper == null) {
      throw new AssertionError("a command without a body: " + command.name());
    }
    return sweeper.begin(this);
  }

  /** What was done goes to the log, while the colors are still held. */
  void commit() {
    if (!effects.isEmpty()) {
      AppendLog log = store.log();
      if (log != null) {
        log.append(effects);
      }
      effects.clear();
    }
  }

  // ---- What it was told

  String name() {
    return name;
  }

  int size() {
    return words.length;
  }

  byte[] word(int index) {
    return words[index];
  }

  /** A word for comparisons with names of options. */
  String option(int index) {
    return CommandTable.upper(words[index]);
  }

  long integer(int index) throws CommandFailure {
    return Numbers.integer(words[index]);
  }

  CommandFailure wrongArguments() {
    return CommandFailure.arguments(name);
  }

  long now() {
    if (now == 0) {
      now = store.now();
    }
    return now;
  }

  Session session() {
    if (session == null) {
      throw new IllegalStateException("a command of clients alone was in the log: " + name);
    }
    return session;
  }

  // ---- Keys

  private long hash(byte[] key) {
    if (key != lastKey) {
      lastKey = key;
      lastHash = store.hash(key);
    }
    return lastHash;
  }

  /** What a key holds; null: nothing, or nothing any more. */
  @Nullable Entry look(byte[] key) {
    long hash = hash(key);
    Entry entry = store.of(hash).get(key, hash);
    return entry == null || isOver(entry) ? null : entry;
  }

  private boolean isOver(Entry entry) {
    return entry.expireAt != 0 && entry.isExpired(now());
  }

  /** The same for one who will change it: what has expired is taken out, and the log is told. */
  @Nullable Entry find(byte[] key) {
    long hash = hash(key);
    Partition partition = store.of(hash);
    Entry entry = partition.get(key, hash);
    if (entry != null && isOver(entry)) {
      partition.remove(entry);
      store.expired.increment();
      effect(DEL, entry.key);
      return null;
    }
    return entry;
  }

  /** The keys that are watched, as they are now. */
  Watch watch(byte[] key) {
    long hash = hash(key);
    Watch watch = new Watch(client, new Bytes(key), hash, look(key) != null);
    store.of(hash).watch(watch);
    return watch;
  }

  // ---- Changes

  /** Gives a key a value, in the place of what it may have; it never ends. */
  void put(byte[] key, Object value) {
    put(key, find(key), value, 0);
  }

  /**
   * Gives a key a value.
   *
   * @param entry what it has, as {@link #find} says
   * @param expireAt when it ends; 0: never
   */
  void put(byte[] key, @Nullable Entry entry, Object value, long expireAt) {
    Entry now = entry;
    if (now == null) {
      now = add(key, value);
    } else {
      now.set(value);
    }
    expire(now, expireAt);
    changed(now);
  }

  /** Adds a key that is not there. */
  Entry add(byte[] key, Object value) {
    long hash = hash(key);
    Entry entry = new Entry(key, hash, value);
    store.of(hash).add(entry);
    return entry;
  }

  void remove(Entry entry) {
    store.of(entry.hash).remove(entry);
    changed = true;
  }

  /** Says when an entry ends; {@link #changed} is still to be called. */
  void expire(Entry entry, long at) {
    store.of(entry.hash).expire(entry, at);
  }

  /** An entry has been changed, and the words of the command say how. */
  void changed(Entry entry) {
    store.of(entry.hash).touch(entry);
    changed = true;
  }

  /** Something else has been changed, and the words say how. */
  void changed() {
    changed = true;
  }

  /** The words of the command say nothing that the log must know. */
  void nothingChanged() {
    changed = false;
  }

  /** The log gets these words in the place of those of the command. */
  void changedAs(byte[]... instead) {
    effect(instead);
    changed = false;
  }

  private void effect(byte[]... command) {
    if (store.log() != null) {
      effects.add(command);
    }
  }
}
