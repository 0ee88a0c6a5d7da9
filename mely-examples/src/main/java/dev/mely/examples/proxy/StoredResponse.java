package dev.mely.examples.proxy;

import dev.mely.examples.http.EntityTags;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A response that the cache has, or may get. Immutable, so that any color may answer with it.
 *
 * @param status its code
 * @param reason what stands beside it
 * @param minor the version in which it came: 0 for HTTP/1.0
 * @param header what is passed on, with Date
 * @param wishes its Cache-Control
 * @param vary what it depends upon
 * @param lifetime how old it may become, in seconds
 * @param initialAge how old it was when it came
 * @param received when it came, in seconds since the epoch
 * @param body its content; never written to
 */
@SuppressWarnings("ArrayRecordComponent") // never compared, and shared for the sake of its size
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

  /** What a 304 does not change of the content that it does not bring (RFC 9111, section 3.2). */
  private static final Set<String> OF_THE_CONTENT =
      Set.of("content-length", "content-encoding", "content-type", "content-range", "etag");

  /**
   * What an answer would be in the cache.
   *
   * @param body the content, which may follow later, see {@link #with}
   * @param requested when the origin was asked, in seconds since the epoch
   * @param received when its answer came
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

  /** The same with the content that has come meanwhile. */
  StoredResponse with(byte[] content) {
    return new StoredResponse(
        status, reason, minor, header, wishes, vary, lifetime, initialAge, received, content);
  }

  /** How old it is now (RFC 9111, section 4.2.3). */
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

  /** Whether the client's own copy is still good (RFC 9111, section 4.3.2). */
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

  /** Whether a 304 that the cache has asked for is about this response. */
  boolean isConfirmedBy(OriginResponse answer) {
    String tag = answer.header().get("etag");
    String mine = etag();
    return tag == null || (mine != null && EntityTags.areEqual(tag, mine));
  }

  /** The header after a 304: its fields in the place of those that were stored. */
  Header headerAfter(OriginResponse answer, long now) {
    Header newer = CacheRules.dated(answer.header(), now).without(OF_THE_CONTENT);
    return header.updatedBy(newer);
  }

  /** How much memory it takes, about, with its key. */
  long weight(String key) {
    return OVERHEAD + 2L * key.length() + header.weight() + vary.weight() + (long) body.length;
  }
}
