package dev.mely.examples.proxy;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a shared cache may keep, and when it may answer with that (RFC 9111, sections 3 and 4). */
final class CacheRules {
  /** Statuses whose meaning for a cache is understood here. */
  private static final Set<Integer> UNDERSTOOD =
      Set.of(200, 203, 204, 300, 301, 302, 307, 308, 404, 405, 410, 414, 501);

  private CacheRules() {}

  /** What a stored response is worth for a request. */
  enum Use {
    /** It is the answer. */
    SERVE,
    /** It is the answer once the origin has said that it still is. */
    VALIDATE
  }

  /**
   * What a response would be in the cache; null: it may not be kept.
   *
   * @param request what was asked, as the origin has seen it
   * @param answer its answer; of a 304, what it makes of the stored response
   * @param body the content, which may follow later, see {@link StoredResponse#with}
   * @param requested when the origin was asked, in seconds since the epoch
   * @param received when its answer came
   */
  static @Nullable StoredResponse toStore(
      ProxyRequest request, OriginResponse answer, byte[] body, long requested, long received) {
    StoredResponse stored = StoredResponse.of(request, answer, body, requested, received);
    return mayStore(request, answer, stored) ? stored : null;
  }

  /** Whether it may be kept. */
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

  /** Whether nothing with this status is kept unless the origin says for how long. */
  static boolean mustBeTold(int status) {
    return status == 302 || status == 307;
  }

  /**
   * What has to do with one person is kept only where the origin says that it is for all (section
   * 3.5). What sets a cookie is kept nowhere: this is the cache's own caution, as is that what is
   * asked with one goes past it.
   */
  private static boolean mayShare(
      ProxyRequest request, OriginResponse answer, CacheControl wishes) {
    boolean told = wishes.has("public") || wishes.has("s-maxage") || wishes.has("must-revalidate");
    return !answer.header().contains("set-cookie")
        && (told || !request.header().contains("authorization"));
  }

  /** A response without a date gets one, as RFC 9110, section 6.6.1, asks. */
  static Header dated(Header header, long received) {
    return header.contains("date") ? header : header.with("Date", HttpClock.format(received));
  }

  /** Whether a stored response answers a request (sections 4.2, 5.2.1 and 5.2.2). */
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
