package dev.mely.examples.kv;

import dev.mely.Event;
import dev.mely.Handler;
import dev.mely.Mely;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Goes from partition to partition, reads each, and leaves in the log what it holds: first that it
 * holds nothing, then commands that make what it holds. All of that is registered while the
 * partition is read, so what is in the log before is undone by it, and what comes behind goes on
 * from it. No moment is needed at which all partitions stand still.
 */
final class Snapshot extends Event {
  private static final Handler<Snapshot> VISIT = Handler.named("Visit", Snapshot::visit);

  /** So many fields or members are one command. */
  private static final int SOME = 1000;

  /** So many bytes of commands are one record, about. */
  private static final int RECORD = 1 << 20;

  private static final byte[] SET = Bytes.of("SET");
  private static final byte[] HSET = Bytes.of("HSET");
  private static final byte[] SADD = Bytes.of("SADD");
  private static final byte[] PEXPIREAT = Bytes.of("PEXPIREAT");

  private final Mely mely;
  private final Store store;
  private final AppendLog log;
  private int partition;

  private List<byte[][]> commands = new ArrayList<>();
  private long bytes;

  Snapshot(Mely mely, Store store, AppendLog log) {
    this.mely = mely;
    this.store = store;
    this.log = log;
  }

  boolean hasNext() {
    return partition < store.partitions();
  }

  /** Goes to the next partition. */
  void next() {
    store.shared(partition).register(mely, VISIT, this);
  }

  private void visit() {
    Partition here = store.partition(partition);
    add(LogReader.RESET, Numbers.text(partition));
    long now = store.now();
    here.forEach(
        entry -> {
          if (!entry.isExpired(now)) {
            add(entry);
          }
        });
    flush();
    partition++;
    log.taken(this);
  }

  private void add(Entry entry) {
    try {
      if (entry.value() instanceof Map) {
        List<byte[]> words = new ArrayList<>(List.of(HSET, entry.key));
        for (Map.Entry<Bytes, byte[]> field : entry.fields().entrySet()) {
          words.add(field.getKey().bytes);
          words.add(field.getValue());
          words = flushWords(words, HSET, entry.key, 2 * SOME);
        }
        rest(words);
      } else if (entry.value() instanceof Set) {
        List<byte[]> words = new ArrayList<>(List.of(SADD, entry.key));
        for (Bytes member : entry.members()) {
          words.add(member.bytes);
          words = flushWords(words, SADD, entry.key, SOME);
        }
        rest(words);
      } else {
        add(SET, entry.key, entry.string());
      }
    } catch (CommandFailure e) {
      throw new AssertionError(e); // it has just been looked at
    }
    if (entry.expireAt != 0) {
      add(PEXPIREAT, entry.key, Numbers.text(entry.expireAt));
    }
  }

  private List<byte[]> flushWords(List<byte[]> words, byte[] name, byte[] key, int most) {
    if (words.size() < most) {
      return words;
    }
    rest(words);
    return new ArrayList<>(List.of(name, key));
  }

  private void rest(List<byte[]> words) {
    if (words.size() > 2) {
      add(words.toArray(byte[][]::new));
    }
  }

  private void add(byte[]... command) {
    commands.add(command);
    for (byte[] word : command) {
      bytes += word.length + 16;
    }
    if (bytes > RECORD) {
      flush();
    }
  }

  private void flush() {
    if (!commands.isEmpty()) {
      log.snapshot(LogRecord.of(commands, true));
      commands = new ArrayList<>();
      bytes = 0;
    }
  }
}
