package dev.mely.examples.proxy;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a shared cache may store, and when it may serve that (RFC 9111, sections 3 and 4). */
final class CacheRules {
  /** Statuses that this cache understands. */
  private static final Set<Integer> UNDERSTOOD =
      Set.of(200, 203, 204, 300, 301, 302, 307, 308, 404, 405, 410, 414, 501);

  private CacheRules() {}

  /** How a stored response may be used for a request. */
  enum Use {
    /** It may be served. */
    SERVE,
    /** It may be served once the origin has confirmed it. */
    VALIDATE
  }

  /**
   * Makes the stored form of a response; null if it may not be stored.
   *
   * @param request as sent to the origin
   * @param answer the response; for a 304, the stored response updated by it
   * @param body the content, which may be added later, see {@link StoredResponse#with}
   * @param requested when the request was sent, in seconds since the epoch
   * @param received when the response arrived
   */
  static @Nullable StoredResponse toStore(
      ProxyRequest request, OriginResponse answer, byte[] body, long requested, long received) {
    StoredResponse stored = StoredResponse.of(request, answer, body, requested, received);
    return mayStore(request, answer, stored) ? stored : null;
  }

  /** Whether a response may be stored. */
  static boolean mayStore(ProxyRequest request, OriginResponse answer, StoredResponse stored) {
    CacheControl wishes = stored.wishes();
    if (!stored.vary().isComparable()
        || !request.method().equals("GET")
        || request.goesPastTheCache()
        || request.wishes().has("no-store")
        || !UNDERSTOOD.contains(answer.status())
        || wishes.has("no-store")
        || wishes.has("private")
        || answer.raw().hidesFields()
        || answer.raw().contains("content-range")
        || !mayShare(request, answer, wishes)) {
      return false;
    }
    boolean told = Freshness.isExplicit(stored.header(), wishes) || !mustBeTold(answer.status());
    return told && (stored.lifetime() > 0 || stored.hasValidator());
  }

  /** Whether a response with this status needs an explicit lifetime to be stored. */
  static boolean mustBeTold(int status) {
    return status == 302 || status == 307;
  }

  /**
   * A response to an authorized request is stored only if the origin allows shared caching (section
   * 3.5). A response that sets a cookie is never stored, and a request with a cookie bypasses the
   * cache: stricter than the RFC.
   */
  private static boolean mayShare(
      ProxyRequest request, OriginResponse answer, CacheControl wishes) {
    boolean told = wishes.has("public") || wishes.has("s-maxage") || wishes.has("must-revalidate");
    return !answer.header().contains("set-cookie")
        && (told || !request.header().contains("authorization"));
  }

  /** Adds a date to a response without one, as RFC 9110, section 6.6.1, requires. */
  static Header dated(Header header, long received) {
    return header.contains("date") ? header : header.with("Date", HttpClock.format(received));
  }

  /** How a stored response may be used for a request (sections 4.2, 5.2.1 and 5.2.2). */
  static Use use(StoredResponse stored, CacheControl request, long now) {
    CacheControl response = stored.wishes();
    long age = stored.age(now);
    long left = stored.lifetime() - age;
    if (request.has("no-cache")
        || response.has("no-cache")
        || (request.has("max-age") && age > request.seconds("max-age", 0))
        || (request.has("min-fresh")
            && left < request.seconds("min-fresh", CacheControl.FOREVER))) {
      return Use.VALIDATE;
    }
    if (left > 0) {
      return Use.SERVE;
    }
    boolean strict =
        response.has("must-revalidate")
            || response.has("proxy-revalidate")
            || response.has("s-maxage");
    boolean stale =
        request.isBare("max-stale")
            || (request.has("max-stale") && -left <= request.seconds("max-stale", -1));
    return !strict && stale ? Use.SERVE : Use.VALIDATE;
  }
}
