package dev.mely.examples.proxy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Locale;

/**
 * The addresses that begin with the same bits, as {@code 10.0.0.0/8} (RFC 4632) or one alone.
 *
 * @param prefix an address whose first bits they are; never written to
 * @param bits how many, 0 to 32 or 128
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Subnet(byte[] prefix, int bits) {
  /**
   * Reads an address, or one with a number of bits behind a slash.
   *
   * @throws IllegalArgumentException if it is neither; the message names it
   */
  static Subnet parse(String text) {
    int slash = text.indexOf('/');
    String host = slash < 0 ? text : text.substring(0, slash);
    InetAddress address = Target.address(host.toLowerCase(Locale.ROOT));
    if (address != null) {
      byte[] prefix = address.getAddress();
      int most = prefix.length * Byte.SIZE;
      int bits = slash < 0 ? most : number(text.substring(slash + 1));
      if (bits >= 0 && bits <= most) {
        return new Subnet(prefix, bits);
      }
    }
    throw new IllegalArgumentException(
        "'" + text + "' is no address such as 10.1.2.3 or fd00::1, nor a range such as 10.0.0.0/8");
  }

  private static int number(String digits) {
    return digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
  }

  /** Whether an address of 4 or 16 bytes is one of them. */
  boolean contains(byte[] address) {
    return address.length == prefix.length
        && new BigInteger(1, address)
                .xor(new BigInteger(1, prefix))
                .shiftRight(prefix.length * Byte.SIZE - bits)
                .signum()
            == 0;
  }
}
