package dev.mely.examples.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.kafka.Journal.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The judge of {@link KilledConsumersTest} sees what it is there for. */
class JudgeTest {
  @TempDir private Path folder;
  private final KeyOrder records = new KeyOrder(2);
  private Journal journal;

  @BeforeEach
  void threeRecords() throws IOException {
    records.add(1, 7);
    records.add(1, 8);
    records.add(1, 7); // the first one's key
    journal = Journal.open(folder.resolve("journal"), 100);
  }

  private Judge judge() {
    return new Judge(records, journal);
  }

  private void began(int member, int offset) {
    journal.add(Kind.BEGAN, member, 1, offset);
  }

  private void handled(int member, int... offsets) {
    for (int offset : offsets) {
      began(member, offset);
      journal.add(Kind.DONE, member, 1, offset);
    }
  }

  private void committed(int... offsets) {
    for (int offset : offsets) {
      journal.add(Kind.COMMITTED, 0, 1, offset);
    }
  }

  private void assertFault(String what) {
    List<String> faults = judge().faults();
    assertEquals(1, faults.size(), faults::toString);
    assertTrue(faults.get(0).startsWith(what), faults::toString);
  }

  @Test
  void allIsWell() {
    handled(1, 1, 0, 2);
    committed(0, 1, 2);
    assertEquals(List.of(), judge().faults());
    assertEquals(0, judge().missing());
    assertEquals(0, judge().uncommitted());
    assertEquals(0, judge().open(1));
  }

  @Test
  void recordIsLost() {
    handled(1, 0, 1);
    began(1, 2); // and killed then
    committed(0, 1);
    assertEquals(1, judge().missing());
    assertEquals(1, judge().uncommitted());
  }

  @Test
  void orderIsBroken() {
    began(1, 0);
    began(1, 2);
    assertFault("delivered before offset 0 of its key");
  }

  @Test
  void committedTooEarly() {
    began(1, 0);
    committed(0);
    assertFault("committed and not done");
  }

  @Test
  void killRepeatsWhatIsNotCommitted() {
    handled(1, 0, 1);
    began(1, 2);
    journal.add(Kind.KILLED, 1);
    committed(0);
    assertEquals(2, judge().open(1));
    handled(2, 1, 2);
    assertEquals(List.of(), judge().faults());
    assertEquals(2, judge().repeatsOfKilled());
  }

  @Test
  void killRepeatsWhatIsCommitted() {
    handled(1, 0);
    journal.add(Kind.KILLED, 1);
    committed(0);
    handled(2, 0);
    assertFault("committed and delivered again");
  }

  @Test
  void killRepeatsTwice() {
    handled(1, 0);
    journal.add(Kind.KILLED, 1);
    handled(2, 0);
    handled(3, 0);
    assertFault("delivered again, after member 2");
  }

  @Test
  void memberRepeatsItsOwn() {
    handled(1, 0, 0);
    assertFault("delivered again, after member 1");
  }

  @Test
  void expelledMembersMayRepeatAndBeRepeated() {
    handled(1, 0);
    journal.add(Kind.SUSPENDED, 1);
    handled(2, 0, 1);
    committed(0, 1);
    handled(1, 1);
    journal.add(Kind.LOST, 1);
    assertEquals(List.of(), judge().faults());
    assertEquals(2, judge().repeatsOfExpelled());
    assertEquals(1, judge().expelled());
    assertEquals(0, judge().expelledByChance());
    began(1, 2); // order: 0 is done
    handled(3, 1);
    assertFault("committed and delivered again");
  }

  @Test
  void theBoundHoldsUntilThen() {
    handled(1, 0);
    handled(2, 0);
    journal.add(Kind.SUSPENDED, 1);
    assertFault("delivered again, after member 1");
  }

  @Test
  void memberMayBeExpelledByChance() {
    handled(1, 0);
    handled(2, 0);
    journal.add(Kind.LOST, 1);
    assertEquals(List.of(), judge().faults());
    assertEquals(1, judge().expelledByChance());
  }

  @Test
  void entryThatWasNotWrittenIsPassedOver() throws IOException {
    handled(1, 0);
    Journal other = Journal.open(folder.resolve("journal"), 100);
    assertEquals(2, other.size());
    assertEquals(0, other.entry(2));
    other.add(Kind.LEFT, 1);
    assertTrue(judge().hasLeft(1));
  }

  @Test
  void commitsAreRead() {
    BitSet records = Commits.records(new OffsetAndMetadata(3, "mely1r:AQMCAQ"));
    assertEquals("{0, 1, 2, 4, 5, 6, 9}", records.toString());
    assertEquals(records, Commits.records(new OffsetAndMetadata(3, "mely1b:Tg")));
  }
}
