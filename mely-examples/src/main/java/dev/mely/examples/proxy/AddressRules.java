package dev.mely.examples.proxy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * To which addresses the proxy connects. The smallest of the user's subnets that contains an
 * address decides, and of two equal ones the one that denies. Without such a subnet, addresses that
 * could give a client access to internal services are denied. Immutable.
 */
final class AddressRules {
  /** Translated to the IPv4 address in the last four bytes (RFC 6052), which is checked, too. */
  private static final Subnet NAT64 = Subnet.parse("64:ff9b::/96");

  /** Denied by default. IPv4-mapped IPv6 addresses (::ffff:0:0/96) are checked as IPv4. */
  private static final List<Subnet> DENIED =
      parse(
          List.of(
              "0.0.0.0/8", // "this host" (RFC 1122)
              "127.0.0.0/8", // loopback
              "169.254.0.0/16", // link-local; clouds serve the machine's credentials there
              "192.0.0.0/24", // protocol assignments (RFC 6890), and a cloud's metadata
              "100.100.100.200", // a cloud's metadata
              "168.63.129.16", // a cloud's host
              "224.0.0.0/4", // multicast
              "240.0.0.0/4", // reserved, and broadcast
              "::/96", // unspecified, loopback, IPv4-compatible (deprecated)
              "::ffff:0:0:0/96", // IPv4, translated (RFC 2765)
              "64:ff9b:1::/48", // IPv4, translated, at an unknown position (RFC 8215)
              "2001::/32", // Teredo, contains an IPv4 address
              "2002::/16", // 6to4, likewise
              "fd00:ec2::/32", // a cloud's metadata
              "fd20:ce::/32", // another cloud's
              "fe80::/10", // link-local
              "fec0::/10", // site-local (deprecated)
              "ff00::/8")); // multicast

  private final List<Subnet> allowed;
  private final List<Subnet> denied;

  private AddressRules(List<Subnet> allowed, List<Subnet> denied) {
    this.allowed = allowed;
    this.denied = denied;
  }

  /**
   * Parses the user's rules.
   *
   * @throws IllegalArgumentException if one is not a subnet; the message names it
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
      return false; // the kernel would connect to this machine
    }
    byte[] bytes = meant.getAddress();
    return permit(bytes)
        && !(NAT64.contains(bytes) && !permit(Arrays.copyOfRange(bytes, 12, bytes.length)));
  }

  /**
   * A name server may answer with an IPv4-mapped address, ::ffff:a.b.c.d. Java does not convert it,
   * and the kernel connects to a.b.c.d.
   */
  private static InetAddress unmapped(InetAddress address) {
    try {
      return InetAddress.getByAddress(address.getAddress());
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // cannot happen with 4 or 16 bytes
    }
  }

  private boolean permit(byte[] address) {
    int allows = smallest(allowed, address);
    int denies = smallest(denied, address);
    return allows != denies ? allows > denies : allows < 0 && smallest(DENIED, address) < 0;
  }

  /** Prefix length of the smallest subnet that contains an address; negative if there is none. */
  private static int smallest(List<Subnet> subnets, byte[] address) {
    Stream<Subnet> those = subnets.stream().filter(subnet -> subnet.contains(address));
    return those.mapToInt(Subnet::bits).max().orElse(-1);
  }
}
