package dev.mely.examples.proxy;

import dev.mely.examples.http.EntityTags;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A response in the cache, or about to be stored. Immutable, so that any color may serve it.
 *
 * @param status status code
 * @param reason reason phrase
 * @param minor minor version: 0 for HTTP/1.0
 * @param header the fields to forward, with Date
 * @param wishes its Cache-Control
 * @param vary the request fields on which it depends
 * @param lifetime maximum age, in seconds
 * @param initialAge age on arrival, in seconds
 * @param received time of arrival, in seconds since the epoch
 * @param body its content; not modified
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; shared, as it may be large
record StoredResponse(
    int status,
    String reason,
    int minor,
    Header header,
    CacheControl wishes,
    Vary vary,
    long lifetime,
    long initialAge,
    long received,
    byte[] body) {
  private static final int OVERHEAD = 512;

  /** Fields of the content, which a 304 does not update (RFC 9111, section 3.2). */
  private static final Set<String> OF_THE_CONTENT =
      Set.of("content-length", "content-encoding", "content-type", "content-range", "etag");

  /**
   * Makes the stored form of a response.
   *
   * @param body the content, which may be added later, see {@link #with}
   * @param requested when the request was sent, in seconds since the epoch
   * @param received when the response arrived
   */
  static StoredResponse of(
      ProxyRequest request, OriginResponse answer, byte[] body, long requested, long received) {
    Header header = CacheRules.dated(answer.header(), received);
    CacheControl wishes = CacheControl.of(answer.raw());
    boolean guess = !request.target().hasQuery() && !CacheRules.mustBeTold(answer.status());
    return new StoredResponse(
        answer.status(),
        answer.reason(),
        answer.minor(),
        header.without(Set.of("age")),
        wishes,
        Vary.of(answer.raw(), request.header()),
        Freshness.lifetime(header, wishes, guess, received),
        Freshness.initialAge(header, requested, received),
        received,
        body);
  }

  /** This response with its content. */
  StoredResponse with(byte[] content) {
    return new StoredResponse(
        status, reason, minor, header, wishes, vary, lifetime, initialAge, received, content);
  }

  /** The current age (RFC 9111, section 4.2.3). */
  long age(long now) {
    return Math.min(CacheControl.FOREVER, initialAge + Math.max(0, now - received));
  }

  @Nullable String etag() {
    String tag = header.get("etag");
    return tag != null && EntityTags.isTag(tag) ? tag : null;
  }

  @Nullable String lastModified() {
    String date = header.get("last-modified");
    return Freshness.isDate(date) ? date : null;
  }

  boolean hasValidator() {
    return etag() != null || lastModified() != null;
  }

  /** Whether the client's own copy is still valid (RFC 9111, section 4.3.2). */
  boolean isKnownTo(ProxyRequest request) {
    if (status != 200 || !request.isConditional()) {
      return false;
    }
    String tag = etag();
    if (request.header().contains("if-none-match")) {
      return EntityTags.name(
          request.header().all("if-none-match"), tag == null ? "no tag at all" : tag, true);
    }
    long none = Long.MIN_VALUE;
    String since = request.header().get("if-modified-since");
    String changed = lastModified();
    long limit = HttpClock.parse(since, none);
    return limit != none && changed != null && HttpClock.parse(changed, Long.MAX_VALUE) <= limit;
  }

  /** Whether a 304 to the cache's validation confirms this response. */
  boolean isConfirmedBy(OriginResponse answer) {
    String tag = answer.header().get("etag");
    String mine = etag();
    return tag == null || (mine != null && EntityTags.areEqual(tag, mine));
  }

  /** The stored header, updated by a 304. */
  Header headerAfter(OriginResponse answer, long now) {
    Header newer = CacheRules.dated(answer.header(), now).without(OF_THE_CONTENT);
    return header.updatedBy(newer);
  }

  /** How much memory it takes with its key, approximately, in bytes. */
  long weight(String key) {
    return OVERHEAD + 2L * key.length() + header.weight() + vary.weight() + (long) body.length;
  }
}
