package dev.mely.examples.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which addresses are denied, and which rule decides. */
class AddressRulesTest {
  private static List<String> list(@Nullable String rules) {
    return rules == null ? List.of() : List.of(rules.split(" "));
  }

  /** As a name server may say them: text would be IPv4 before it came here. */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, false",
    "169.254.169.254, false",
    "0.0.0.0, false",
    "10.0.0.1, false",
    "8.8.8.8, true",
  })
  void version4InVersion6(String address, boolean permitted) throws Exception {
    byte[] bytes = new byte[16];
    bytes[10] = -1;
    bytes[11] = -1;
    System.arraycopy(InetAddress.getByName(address).getAddress(), 0, bytes, 12, 4);
    AddressRules rules = AddressRules.of(List.of(), List.of("10.0.0.0/8"));
    assertEquals(permitted, rules.permit(Inet6Address.getByAddress("name", bytes, -1)));
  }

  /** The system takes it for this machine. */
  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0", "::", "::ffff:0.0.0.0"})
  void unspecifiedWhateverIsAllowed(String address) throws Exception {
    AddressRules rules = AddressRules.of(List.of("0.0.0.0/0", "::/0"), List.of("127.0.0.0/8"));
    assertFalse(rules.permit(InetAddress.getByName(address)));
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, false",
    "0.1.2.3, false",
    "127.0.0.1, false",
    "127.255.255.254, false",
    "126.255.255.255, true",
    "128.0.0.0, true",
    "169.254.169.254, false",
    "169.253.0.1, true",
    "192.0.0.192, false",
    "100.100.100.200, false",
    "100.100.100.201, true",
    "168.63.129.16, false",
    "224.0.0.1, false",
    "239.255.255.250, false",
    "240.0.0.1, false",
    "255.255.255.255, false",
    "93.184.216.34, true",
    "10.1.2.3, true",
    "172.16.0.1, true",
    "192.168.1.1, true",
    "::, false",
    "::1, false",
    "::2, false",
    "::127.0.0.1, false",
    "::8.8.8.8, false",
    "::ffff:127.0.0.1, false",
    "::ffff:8.8.8.8, true",
    "::ffff:0:127.0.0.1, false",
    "64:ff9b::127.0.0.1, false",
    "64:ff9b::169.254.169.254, false",
    "64:ff9b::8.8.8.8, true",
    "64:ff9b:1::8.8.8.8, false",
    "2002:7f00:1::, false",
    "2001:0:1::1, false",
    "2001:db8::1, true",
    "fe80::1, false",
    "febf::1, false",
    "fec0::1, false",
    "ff02::1, false",
    "fd00::1, true",
    "fd00:ec2::254, false",
    "fd20:ce::254, false",
    "2606:2800:21f::1, true"
  })
  void byDefault(String address, boolean permitted) throws Exception {
    AddressRules rules = AddressRules.of(List.of(), List.of());
    assertEquals(permitted, rules.permit(InetAddress.getByName(address)));
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "-",
      value = {
        // the user's rules come first
        "127.0.0.1, -, 127.0.0.1, true",
        "127.0.0.1, -, 127.0.0.2, false",
        "127.0.0.0/8, -, 127.1.2.3, true",
        "::1, -, ::1, true",
        "::1, -, 127.0.0.1, false",
        "127.0.0.0/8, -, ::ffff:127.0.0.1, true",
        "127.0.0.0/8, -, 64:ff9b::127.0.0.1, true",
        "0.0.0.0/0, -, 169.254.169.254, true",
        "-, 10.0.0.0/8, 10.1.2.3, false",
        "-, 10.0.0.0/8, 11.1.2.3, true",
        "-, 10.0.0.0/8, ::ffff:10.1.2.3, false",
        "-, 10.0.0.0/8, 64:ff9b::10.1.2.3, false",
        "-, fc00::/7, fd00::1, false",
        "-, FC00::/7, fd00::1, false",
        // of two the smaller one
        "10.1.0.0/16, 10.0.0.0/8, 10.1.2.3, true",
        "10.1.0.0/16, 10.0.0.0/8, 10.2.2.3, false",
        "10.0.0.0/8, 10.1.2.3, 10.1.2.3, false",
        "10.0.0.0/8, 0.0.0.0/0 ::/0, 93.184.216.34, false",
        "10.0.0.0/8, 0.0.0.0/0 ::/0, 2606:2800:21f::1, false",
        "10.0.0.0/8, 0.0.0.0/0 ::/0, 10.3.4.5, true",
        // of two that are equal the one that denies
        "127.0.0.1, 127.0.0.1, 127.0.0.1, false",
        "0.0.0.0/0, 0.0.0.0/0, 8.8.8.8, false"
      })
  void byTheUsersRules(
      @Nullable String allow, @Nullable String deny, String address, boolean permitted)
      throws Exception {
    AddressRules rules = AddressRules.of(list(allow), list(deny));
    assertEquals(permitted, rules.permit(InetAddress.getByName(address)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/",
        "localhost",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.0/8/8",
        "10.0.0",
        "010.0.0.1",
        "0x7f000001",
        "2130706433",
        "127.1",
        "10.0.0.0/255.0.0.0",
        "::1/129",
        "fe80::1%lo",
        "[::1]",
        "::/ 0",
        "1:2",
        "*",
        "::ffff:0:0/96",
        "10.0.0.0/\u0661"
      })
  void whatIsNoSubnetIsRefused(String text) {
    List<String> wrong = List.of(text);
    assertThrows(IllegalArgumentException.class, () -> AddressRules.of(wrong, List.of()));
    assertThrows(IllegalArgumentException.class, () -> AddressRules.of(List.of(), wrong));
  }
}
