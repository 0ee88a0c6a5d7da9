package dev.mely.examples.kafka;

import java.util.Base64;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * Writes into a journal what the broker says a group has committed: the records below a partition's
 * offset, and those that the metadata names. Not thread-safe.
 */
final class Commits {
  private static final long PATIENCE_SECONDS = 120;
  private static final String RUNS = "mely1r:";
  private static final String BITS = "mely1b:";
  private static final int SEVEN_BITS = 0x7f;

  private final Admin admin;
  private final String group;
  private final Journal journal;
  private final Map<Integer, BitSet> noted = new HashMap<>();

  Commits(Admin admin, String group, Journal journal) {
    this.admin = admin;
    this.group = group;
    this.journal = journal;
  }

  void note() throws Exception {
    Map<TopicPartition, OffsetAndMetadata> all =
        admin
            .listConsumerGroupOffsets(group)
            .partitionsToOffsetAndMetadata()
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    all.forEach(
        (name, commit) -> {
          if (commit != null) {
            note(name.partition(), records(commit));
          }
        });
  }

  private void note(int partition, BitSet committed) {
    BitSet before = noted.computeIfAbsent(partition, p -> new BitSet());
    committed.andNot(before);
    before.or(committed);
    committed.stream().forEach(o -> journal.add(Journal.Kind.COMMITTED, 0, partition, o));
  }

  /** The offsets that a commit says are done. */
  static BitSet records(OffsetAndMetadata commit) {
    int base = (int) commit.offset();
    BitSet records = new BitSet();
    records.set(0, base);
    String metadata = commit.metadata();
    if (metadata.startsWith(BITS)) {
      bytes(metadata, BITS).stream().forEach(bit -> records.set(base + bit));
    } else if (metadata.startsWith(RUNS)) {
      addRuns(records, base, Base64.getUrlDecoder().decode(metadata.substring(RUNS.length())));
    } else if (!metadata.isEmpty()) {
      throw new IllegalArgumentException("not metadata of KafkaColors: " + metadata);
    }
    return records;
  }

  private static BitSet bytes(String metadata, String prefix) {
    return BitSet.valueOf(Base64.getUrlDecoder().decode(metadata.substring(prefix.length())));
  }

  /** How many are not done, how many are, and so on: seven bits a byte, lower ones first. */
  private static void addRuns(BitSet records, int base, byte[] bytes) {
    int at = base;
    int number = 0;
    int shift = 0;
    boolean areDone = false;
    for (byte b : bytes) {
      number |= (b & SEVEN_BITS) << shift;
      shift += 7;
      if (b >= 0) {
        records.set(at, at + number, areDone);
        at += number;
        areDone = !areDone;
        number = 0;
        shift = 0;
      }
    }
  }
}
