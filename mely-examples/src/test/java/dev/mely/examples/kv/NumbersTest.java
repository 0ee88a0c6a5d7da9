package dev.mely.examples.kv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumbersTest {
  @ParameterizedTest
  @ValueSource(
      longs = {0, 1, -1, 9, 10, -10, 123456789, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1})
  void thereAndBack(long number) throws Exception {
    assertEquals(number, Numbers.integer(Numbers.text(number)));
    Reply reply = new Reply(1000);
    reply.integer(number);
    assertEquals(
        ":" + number + "\r\n",
        java.nio.charset.StandardCharsets.US_ASCII.decode(reply.take()).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "+1",
        "01",
        "-0",
        "00",
        " 1",
        "1 ",
        "1.0",
        "a",
        "9223372036854775808",
        "-9223372036854775809",
        "99999999999999999999",
        "12345678901234567890"
      })
  void noNumber(String text) {
    assertThrows(CommandFailure.class, () -> Numbers.integer(Bytes.of(text)));
  }

  @Test
  void sipHashHasItsOwnVector() {
    // SipHash-1-3, key 00..0f, from the reference program's vectors: no bytes, and 00..06.
    SipHash hash = new SipHash(0x0706050403020100L, 0x0f0e0d0c0b0a0908L);
    assertEquals(0xabac0158050fc4dcL, hash.hash(new byte[0]));
    assertEquals(0xd3927d989bb11140L, hash.hash(new byte[] {0, 1, 2, 3, 4, 5, 6}));
  }
}
