package dev.mely.examples.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * To which addresses the proxy connects. Of the subnets that its user has named, the smallest that
 * has an address decides, and of two that are equal the one that denies; where none has it, those
 * are denied that are no place for a stranger's request. Immutable.
 */
final class AddressRules {
  /** Translated to the IPv4 address in its last four bytes (RFC 6052): that one counts, too. */
  private static final Subnet NAT64 = Subnet.parse("64:ff9b::/96");

  /** Denied unless they are allowed by name. IPv4 in IPv6 (::ffff:0:0/96) is looked at as IPv4. */
  private static final List<Subnet> DENIED =
      parse(
          List.of(
              "0.0.0.0/8", // "this host" (RFC 1122)
              "127.0.0.0/8", // loopback
              "169.254.0.0/16", // link-local; clouds answer there with the machine's credentials
              "192.0.0.0/24", // for protocols (RFC 6890), and a cloud's metadata
              "100.100.100.200", // a cloud's metadata
              "168.63.129.16", // a cloud's host
              "224.0.0.0/4", // multicast
              "240.0.0.0/4", // reserved, and broadcast
              "::/96", // unspecified, loopback, IPv4 in a form of old
              "::ffff:0:0:0/96", // IPv4, translated (RFC 2765)
              "64:ff9b:1::/48", // IPv4, translated, it is not known where it stands (RFC 8215)
              "2001::/32", // Teredo, IPv4 in disguise
              "2002::/16", // 6to4, the same
              "fd00:ec2::/32", // a cloud's metadata
              "fd20:ce::/32", // another one's
              "fe80::/10", // link-local
              "fec0::/10", // site-local, of old
              "ff00::/8")); // multicast

  private final List<Subnet> allowed;
  private final List<Subnet> denied;

  private AddressRules(List<Subnet> allowed, List<Subnet> denied) {
    this.allowed = allowed;
    this.denied = denied;
  }

  /**
   * Reads the rules of a user.
   *
   * @throws IllegalArgumentException if one is no subnet; the message names it
   */
  static AddressRules of(List<String> allow, List<String> deny) {
    return new AddressRules(parse(allow), parse(deny));
  }

  private static List<Subnet> parse(List<String> texts) {
    return texts.stream().map(Subnet::parse).toList();
  }

  /** Whether the proxy may connect to an address. */
  boolean permit(InetAddress address) {
    InetAddress meant = unmapped(address);
    if (meant.isAnyLocalAddress()) {
      return false; // the system connects to this machine, which has addresses of its own
    }
    byte[] bytes = meant.getAddress();
    return permit(bytes)
        && !(NAT64.contains(bytes) && !permit(Arrays.copyOfRange(bytes, 12, bytes.length)));
  }

  /**
   * A name server may answer ::ffff:a.b.c.d for IPv6. Java leaves that as it is, and the system
   * connects to a.b.c.d.
   */
  private static InetAddress unmapped(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // it has 4 or 16 bytes
    }
  }

  private boolean permit(byte[] address) {
    int allows = smallest(allowed, address);
    int denies = smallest(denied, address);
    return allows != denies ? allows > denies : allows < 0 && smallest(DENIED, address) < 0;
  }

  /** How many bits the smallest subnet has in which an address is; negative: it is in none. */
  private static int smallest(List<Subnet> subnets, byte[] address) {
    Stream<Subnet> those = subnets.stream().filter(subnet -> subnet.contains(address));
    return those.mapToInt(Subnet::bits).max().orElse(-1);
  }
}
