package dev.mely.netty.monitor;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Who may look: whoever has the token; without a token, programs of the same machine, asked for by
 * one of its own names. Immutable.
 */
final class Access {
  private static final Pattern TOKEN = Pattern.compile("[A-Za-z0-9_-]{16,}");
  private static final String BEARER = "Bearer ";

  /**
   * A page of another site may have its name point here (DNS rebinding): it still sends its name.
   */
  private static final Pattern OWN_NAME =
      Pattern.compile(
          "(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d{1,5})?", Pattern.CASE_INSENSITIVE);

  /** A proxy on this machine passes on what comes from elsewhere; most of them add one of these. */
  private static final List<String> OF_PROXIES =
      List.of("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via");

  private static final Set<String> OWN_SITE = Set.of("same-origin", "none");

  /** Null: there is none. */
  private final byte @Nullable [] token;

  private Access(byte @Nullable [] token) {
    this.token = token;
  }

  /** Of programs on the same machine. */
  static Access local() {
    return new Access(null);
  }

  /**
   * Of those who have the token.
   *
   * @throws IllegalArgumentException if it is too short, or has characters that mean something in
   *     an address; the token itself is not told
   */
  static Access by(String token) {
    if (!TOKEN.matcher(token).matches()) {
      throw new IllegalArgumentException(
          "the token must have 16 or more letters, digits, - and _, but has "
              + token.length()
              + " characters, or others");
    }
    return new Access(token.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Whether a request is to be answered.
   *
   * @param remote where it comes from; null: not known
   */
  boolean allows(HttpRequest request, @Nullable SocketAddress remote) {
    return token == null ? isLocal(request, remote) : hasToken(request, token);
  }

  private static boolean isLocal(HttpRequest request, @Nullable SocketAddress remote) {
    boolean near =
        remote instanceof InetSocketAddress address
            && address.getAddress() != null
            && address.getAddress().isLoopbackAddress();
    List<String> hosts = request.headers().getAll(HttpHeaderNames.HOST);
    return near
        && hosts.size() == 1
        && OWN_NAME.matcher(hosts.get(0)).matches()
        && isOfThisPage(request.headers(), hosts.get(0))
        && OF_PROXIES.stream().noneMatch(request.headers()::contains);
  }

  /**
   * Pages of other sites could not read the answers, but keep the monitor at work. Browsers say
   * which page asks (Fetch Metadata); other programs say nothing.
   */
  private static boolean isOfThisPage(HttpHeaders headers, String host) {
    return headers.getAll("sec-fetch-site").stream().allMatch(OWN_SITE::contains)
        && headers.getAll(HttpHeaderNames.ORIGIN).stream()
            .allMatch(origin -> origin.equalsIgnoreCase("http://" + host));
  }

  /** In the header, for programs; in the address, for browsers. */
  private static boolean hasToken(HttpRequest request, byte[] token) {
    @Nullable String header = request.headers().get(HttpHeaderNames.AUTHORIZATION);
    if (header != null && header.startsWith(BEARER)) {
      return isSame(header.substring(BEARER.length()), token);
    }
    try {
      List<String> given = new QueryStringDecoder(request.uri()).parameters().get("token");
      return given != null && given.size() == 1 && isSame(given.get(0), token);
    } catch (IllegalArgumentException e) { // a wrong %
      return false;
    }
  }

  /** Takes the same time wherever the two differ. */
  private static boolean isSame(String given, byte[] token) {
    return MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8));
  }
}
