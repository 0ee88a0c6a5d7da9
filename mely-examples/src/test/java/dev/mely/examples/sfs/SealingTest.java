package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Records of one direction: order, changes of keys, the end. */
class SealingTest {
  private static final byte[] SECRET = new byte[32];

  private final AtomicLong clock = new AtomicLong(17);
  private final Opener opener = new Opener(SECRET);

  private Sealer sealer(int records, Duration time) {
    return new Sealer(SECRET, new RekeyRule(records, time), clock::get);
  }

  private static byte[] message(int number) {
    return ByteBuffer.allocate(5).put(Records.DATA).putInt(number).array();
  }

  /** The records in what a sealer has made: one, or two with a change of keys. */
  private static List<byte[]> records(byte[] sealed) {
    List<byte[]> records = new ArrayList<>();
    ByteBuffer rest = ByteBuffer.wrap(sealed);
    while (rest.hasRemaining()) {
      byte[] record = new byte[rest.getInt()];
      rest.get(record);
      records.add(record);
    }
    return records;
  }

  private byte[] open(byte[] record) throws ProtocolViolation {
    return opener.open(record, 0, record.length);
  }

  private int takes(Sealer sealer, int number) throws ProtocolViolation {
    List<byte[]> records = records(sealer.seal(message(number)));
    for (byte[] change : records.subList(0, records.size() - 1)) {
      assertNull(open(change));
    }
    assertArrayEquals(message(number), open(records.get(records.size() - 1)));
    return records.size();
  }

  @Test
  void keysChangeByCount() throws Exception {
    Sealer sealer = sealer(4, Duration.ofHours(1));
    StringBuilder records = new StringBuilder();
    for (int i = 0; i < 10; i++) {
      records.append(takes(sealer, i));
    }
    assertEquals("1112112112", records.toString(), "three messages and the change make four");
  }

  @Test
  void keysChangeByTime() throws Exception {
    Sealer sealer = sealer(1000, Duration.ofNanos(100));
    clock.addAndGet(1000); // an unused key does not age
    assertEquals(1, takes(sealer, 0));
    clock.addAndGet(99);
    assertEquals(1, takes(sealer, 1));
    clock.addAndGet(1);
    assertEquals(2, takes(sealer, 2));
    clock.addAndGet(100);
    assertEquals(2, takes(sealer, 3));
    assertEquals(1, takes(sealer, 4));
  }

  @Test
  void sameMessagesLookDifferentUnderEachKey() {
    Sealer sealer = sealer(2, Duration.ofHours(1));
    List<String> seen = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      for (byte[] record : records(sealer.seal(message(0)))) {
        seen.add(java.util.HexFormat.of().formatHex(record));
      }
    }
    assertEquals(seen.size(), seen.stream().distinct().count());
  }

  @Test
  void aKeyThatIsUsedForTooLongIsRefused() throws Exception {
    // A sender that never changes its key: made of the key itself, since a sealer cannot do it.
    TrafficKey key = new TrafficKey(SECRET);
    byte[] header = Records.header(message(0).length + TrafficKey.TAG_BYTES);
    byte[] record = new byte[message(0).length + TrafficKey.TAG_BYTES];
    for (int i = 1; i < Records.MAX_PER_KEY; i++) {
      key.seal(header, message(i), ByteBuffer.wrap(record));
      open(record);
    }
    key.seal(header, message(0), ByteBuffer.wrap(record));
    assertThrows(ProtocolViolation.class, () -> open(record));
  }

  @Test
  void recordsThatAreRepeatedLeftOutOrExchangedAreRefused() throws Exception {
    Sealer sealer = sealer(100, Duration.ofHours(1));
    byte[] first = records(sealer.seal(message(1))).get(0);
    byte[] second = records(sealer.seal(message(2))).get(0);
    assertThrows(ProtocolViolation.class, () -> openAll(second), "the first is missing");
    assertThrows(ProtocolViolation.class, () -> openAll(first, first), "for the second time");
    assertThrows(ProtocolViolation.class, () -> openAll(first, second, first), "an old one");
    openAll(first, second);
  }

  private static void openAll(byte[]... records) throws ProtocolViolation {
    Opener fresh = new Opener(SECRET);
    for (byte[] record : records) {
      fresh.open(record, 0, record.length);
    }
  }

  @Test
  void nothingIsTakenAfterWhatWasRefused() throws Exception {
    byte[] record = records(sealer(100, Duration.ofHours(1)).seal(message(1))).get(0);
    byte[] flipped = record.clone();
    flipped[3] ^= 1;
    assertThrows(ProtocolViolation.class, () -> open(flipped));
    assertThrows(ProtocolViolation.class, () -> open(record));
  }

  @Test
  void recordsOfAnOldKeyAreRefused() throws Exception {
    Sealer sealer = sealer(2, Duration.ofHours(1));
    byte[] first = records(sealer.seal(message(1))).get(0);
    open(first);
    takes(sealer, 2); // changes the key: the count begins anew
    Opener fresh = new Opener(SECRET);
    fresh.open(first, 0, first.length);
    assertThrows(ProtocolViolation.class, () -> open(first));
  }

  @Test
  void theLengthOfARecordIsProtectedToo() {
    byte[] sealed = sealer(9, Duration.ofHours(1)).seal(message(1));
    assertThrows(ProtocolViolation.class, () -> opener.open(sealed, 4, sealed.length - 5));
  }

  @Test
  void changesOfKeysWithNothingBetweenAreRefused() throws Exception {
    TrafficKey key = new TrafficKey(SECRET);
    byte[] change = {Records.REKEY};
    byte[] record = new byte[1 + TrafficKey.TAG_BYTES];
    key.seal(Records.header(record.length), change, ByteBuffer.wrap(record));
    assertNull(open(record));
    key.next().seal(Records.header(record.length), change, ByteBuffer.wrap(record));
    assertThrows(ProtocolViolation.class, () -> open(record));
  }

  @Test
  void nothingComesAfterTheEnd() throws Exception {
    Sealer sealer = sealer(9, Duration.ofHours(1));
    assertFalse(opener.isClosed());
    open(records(sealer.seal(new byte[] {Records.CLOSE})).get(0));
    assertTrue(opener.isClosed());
    byte[] after = records(sealer.seal(message(1))).get(0);
    assertThrows(ProtocolViolation.class, () -> open(after));
  }

  @Test
  void unknownAndEmptyRecordsAreRefused() {
    byte[] unknown = records(sealer(9, Duration.ofHours(1)).seal(new byte[] {77, 1})).get(0);
    assertThrows(ProtocolViolation.class, () -> open(unknown));
    byte[] empty = new byte[TrafficKey.TAG_BYTES];
    new TrafficKey(SECRET).seal(Records.header(empty.length), new byte[0], ByteBuffer.wrap(empty));
    assertThrows(ProtocolViolation.class, () -> new Opener(SECRET).open(empty, 0, empty.length));
  }
}
