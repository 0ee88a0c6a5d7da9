package dev.mely.examples.proxy;

import java.math.BigInteger;
import java.net.InetAddress;
import java.util.Locale;

/**
 * A subnet such as {@code 10.0.0.0/8} (RFC 4632), or a single address.
 *
 * @param prefix an address with these first bits; not modified
 * @param bits prefix length, 0 to 32 or 128
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Subnet(byte[] prefix, int bits) {
  /**
   * Parses an address, optionally followed by a slash and the prefix length.
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
        "'"
            + text
            + "' is neither an address such as 10.1.2.3 or fd00::1 nor a range such as 10.0.0.0/8");
  }

  private static int number(String digits) {
    return digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
  }

  /** Whether an address of 4 or 16 bytes is in this subnet. */
  boolean contains(byte[] address) {
    return address.length == prefix.length
        && new BigInteger(1, address)
                .xor(new BigInteger(1, prefix))
                .shiftRight(prefix.length * Byte.SIZE - bits)
                .signum()
            == 0;
  }
}
