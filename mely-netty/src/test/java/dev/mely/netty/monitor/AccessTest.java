package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.local.LocalAddress;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final InetSocketAddress NEAR = new InetSocketAddress("127.0.0.1", 40_000);

  private static HttpRequest request(String uri, String... headers) {
    HttpRequest request = new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, uri);
    for (int i = 0; i < headers.length; i += 2) {
      request.headers().add(headers[i], headers[i + 1]);
    }
    return request;
  }

  @ParameterizedTest
  @CsvSource({
    "localhost, true",
    "localhost:7070, true",
    "LOCALHOST:7070, true",
    "127.0.0.1:7070, true",
    "127.1.2.3, true",
    "[::1]:7070, true",
    // A name of another site, which may point here.
    "evil.example:7070, false",
    "localhost.evil.example, false",
    "127.0.0.1.evil.example, false",
    "evil.example/localhost, false",
    "localhost@evil.example, false",
    "'', false",
  })
  void aLocalProgramAsksByALocalName(String host, boolean allowed) {
    assertEquals(allowed, Access.local().allows(request("/", "Host", host), NEAR));
  }

  @Test
  void oneNameAlone() {
    assertFalse(Access.local().allows(request("/"), NEAR));
    HttpRequest two = request("/", "Host", "localhost", "Host", "evil.example");
    assertFalse(Access.local().allows(two, NEAR));
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.1, false", "192.168.1.7, false", "127.0.0.2, true", "::1, true"})
  void fromThisMachineAlone(String address, boolean allowed) {
    HttpRequest request = request("/", "Host", "localhost");
    InetSocketAddress remote = new InetSocketAddress(address, 4_000);
    assertEquals(allowed, Access.local().allows(request, remote));
  }

  @Test
  void whoseAddressIsNotKnownIsNotOfThisMachine() {
    HttpRequest request = request("/", "Host", "localhost");
    assertFalse(Access.local().allows(request, null));
    assertFalse(Access.local().allows(request, new LocalAddress("here")));
    InetSocketAddress unresolved = InetSocketAddress.createUnresolved("localhost", 1);
    assertFalse(Access.local().allows(request, unresolved));
  }

  @ParameterizedTest
  @ValueSource(strings = {"Forwarded", "X-Forwarded-For", "x-forwarded-host", "X-Real-IP", "Via"})
  void aProxyOnThisMachinePassesOnWhatComesFromElsewhere(String header) {
    assertFalse(Access.local().allows(request("/", "Host", "localhost", header, "x"), NEAR));
  }

  @ParameterizedTest
  @CsvSource({
    "/, Bearer 0123456789abcdef, true",
    "/?token=0123456789abcdef, , true",
    "/?a=b&token=0123456789abcdef, , true",
    "/?token=%30123456789abcdef, , true",
    "/, , false",
    "/, 0123456789abcdef, false",
    "/, Basic 0123456789abcdef, false",
    "/, Bearer 0123456789abcdeF, false",
    "/, Bearer 0123456789abcdef0, false",
    "/, Bearer 0123456789abcde, false",
    "/, 'Bearer ', false",
    "/?token=, , false",
    "/?token=0123456789abcdeg, , false",
    "/?token=x&token=0123456789abcdef, , false",
    "/?token=%, , false",
    "/?token=%zz, , false",
    "/?%=0123456789abcdef, , false",
    // A wrong header is not made good by the address.
    "/?token=0123456789abcdef, Bearer x, false",
  })
  void whoHasTheToken(String uri, String authorization, boolean allowed) {
    HttpRequest request =
        authorization == null ? request(uri) : request(uri, "Authorization", authorization);
    Access access = Access.by(TOKEN);
    assertEquals(allowed, access.allows(request, new InetSocketAddress("10.0.0.1", 1)));
    assertEquals(allowed, access.allows(request, NEAR), "a token is needed here, too");
  }

  /** A page of another site that the user has open would keep the monitor at work. */
  @ParameterizedTest
  @CsvSource({
    "Sec-Fetch-Site, same-origin, true",
    "Sec-Fetch-Site, none, true",
    "Sec-Fetch-Site, same-site, false",
    "Sec-Fetch-Site, cross-site, false",
    "Origin, http://localhost:7070, true",
    "Origin, http://localhost:8080, false",
    "Origin, https://localhost:7070, false",
    "Origin, http://evil.example, false",
    "Origin, null, false",
  })
  void notForPagesOfOtherSites(String header, String value, boolean allowed) {
    HttpRequest request = request("/events", "Host", "localhost:7070", header, value);
    assertEquals(allowed, Access.local().allows(request, NEAR));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"0123456789abcde", "", "0123456789abcde+", "0123456789abcde%", "0123456789 bcdef"})
  void aTokenHasSixteenPlainCharacters(String token) {
    Exception refused = assertThrows(IllegalArgumentException.class, () -> Access.by(token));
    assertEquals(
        "the token must have 16 or more letters, digits, - and _, but has "
            + token.length()
            + " characters, or others",
        refused.getMessage());
    assertTrue(Access.by("0123456789abc-_Z").allows(request("/?token=0123456789abc-_Z"), null));
  }
}
