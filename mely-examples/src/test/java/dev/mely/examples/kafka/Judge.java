package dev.mely.examples.kafka;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a journal proves.
 *
 * <ul>
 *   <li><b>Nothing is lost</b>: each record has been done, and is committed at the end.
 *   <li><b>Order</b>: when a record is delivered for the first time, that of its key before it has
 *       been done. This holds whatever happens to members.
 *   <li><b>Nothing is committed too early</b>: what is committed has been done.
 *   <li><b>Bound</b>: a record is repeated only if the member that it was delivered to last has
 *       been killed, and it was not committed when that one was dead. So a kill repeats each record
 *       once at most, and all repeats are at most what was delivered and not committed at the
 *       kills.
 * </ul>
 *
 * <p>The bound leaves out members that were expelled while they lived: such a one does not know,
 * goes on with what it has received until it hears, and may so repeat what its successors have
 * committed; and what it cannot commit any more they repeat. Everything else holds for them, too.
 */
final class Judge {
  private static final int MOST_FAULTS = 10;

  private final KeyOrder records;

  /** The member that a record was delivered to last; 0: it has not been delivered. */
  private final short[][] last;

  private final BitSet[] done;
  private final BitSet[] committed;
  private final BitSet killed = new BitSet();
  private final BitSet suspended = new BitSet();
  private final BitSet lost = new BitSet();

  /** The entry from which on a member counts as expelled. */
  private final Map<Integer, Integer> expelledFrom = new HashMap<>();

  private final BitSet left = new BitSet();
  private final List<String> story = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private int repeatsOfKilled;
  private int repeatsOfExpelled;

  Judge(KeyOrder records, Journal journal) {
    this.records = records;
    int partitions = records.partitions();
    last = new short[partitions][];
    done = new BitSet[partitions];
    committed = new BitSet[partitions];
    for (int i = 0; i < partitions; i++) {
      last[i] = new short[records.size(i)];
      done[i] = new BitSet();
      committed[i] = new BitSet();
    }
    // First: what comes later than this is not looked at, so no cause of what is looked at is
    // missing.
    int size = journal.size();
    for (int i = 0; i < size; i++) {
      lookForExpelled(i, journal.entry(i));
    }
    for (int i = 0; i < size; i++) {
      look(i, journal.entry(i));
    }
  }

  private void lookForExpelled(int index, long entry) {
    if (entry == 0) {
      return;
    }
    int member = Journal.member(entry);
    switch (Journal.kind(entry)) {
      case SUSPENDED -> {
        suspended.set(member);
        expelledFrom.putIfAbsent(member, index);
      }
      case LOST -> {
        lost.set(member);
        expelledFrom.putIfAbsent(member, 0); // nobody knows how long before
      }
      default -> {}
    }
  }

  private void look(int index, long entry) {
    if (entry == 0) {
      return;
    }
    int member = Journal.member(entry);
    int partition = Journal.partition(entry);
    int offset = Journal.offset(entry);
    switch (Journal.kind(entry)) {
      case BEGAN -> began(index, member, partition, offset);
      case DONE -> done[partition].set(offset);
      case COMMITTED -> {
        if (!done[partition].get(offset)) {
          fault("committed and not done", index, partition, offset, member);
        }
        committed[partition].set(offset);
      }
      case KILLED -> killed.set(member);
      case LEFT -> left.set(member);
      case LOST, SUSPENDED -> {} // known
    }
    if (Journal.kind(entry).ordinal() >= Journal.Kind.KILLED.ordinal()) {
      story.add(index + " " + Journal.kind(entry) + ' ' + member);
    }
  }

  private void began(int index, int member, int partition, int offset) {
    int before = last[partition][offset];
    if (before == 0) {
      last[partition][offset] = (short) member;
      int previous = records.previous(partition, offset);
      if (previous >= 0 && !done[partition].get(previous)) {
        fault(
            "delivered before offset " + previous + " of its key",
            index,
            partition,
            offset,
            member);
      }
    } else if (isExpelled(member, index)) {
      repeatsOfExpelled++;
    } else {
      last[partition][offset] = (short) member;
      if (committed[partition].get(offset)) {
        fault("committed and delivered again", index, partition, offset, member);
      } else if (isExpelled(before, index)) {
        repeatsOfExpelled++;
      } else if (killed.get(before)) {
        repeatsOfKilled++;
      } else {
        fault("delivered again, after member " + before, index, partition, offset, member);
      }
    }
  }

  private boolean isExpelled(int member, int index) {
    return index >= expelledFrom.getOrDefault(member, Integer.MAX_VALUE);
  }

  private void fault(String what, int index, int partition, int offset, int member) {
    if (faults.size() < MOST_FAULTS) {
      faults.add(
          what
              + ": partition "
              + partition
              + " offset "
              + offset
              + " by member "
              + member
              + ", entry "
              + index);
    }
  }

  /** The first faults; none: order, commits and the bound are right so far. */
  List<String> faults() {
    return List.copyOf(faults);
  }

  /** What has been done to members, with the entries' numbers. */
  List<String> story() {
    return List.copyOf(story);
  }

  int records() {
    return records.size();
  }

  /** Records that have not been done. */
  int missing() {
    return count(done);
  }

  /** Records that are not committed. */
  int uncommitted() {
    return count(committed);
  }

  private int count(BitSet[] sets) {
    int there = 0;
    for (BitSet set : sets) {
      there += set.cardinality();
    }
    return records.size() - there;
  }

  /** What a kill may repeat: what was delivered to a member last and is not committed. */
  int open(int member) {
    int open = 0;
    for (int partition = 0; partition < last.length; partition++) {
      for (int offset = 0; offset < last[partition].length; offset++) {
        if (last[partition][offset] == member && !committed[partition].get(offset)) {
          open++;
        }
      }
    }
    return open;
  }

  boolean hasLeft(int member) {
    return left.get(member);
  }

  int repeatsOfKilled() {
    return repeatsOfKilled;
  }

  int repeatsOfExpelled() {
    return repeatsOfExpelled;
  }

  /** Members that were expelled, or could not commit, and had not been stopped for that. */
  int expelledByChance() {
    BitSet others = (BitSet) lost.clone();
    others.andNot(suspended);
    return others.cardinality();
  }

  int expelled() {
    return lost.cardinality();
  }
}
