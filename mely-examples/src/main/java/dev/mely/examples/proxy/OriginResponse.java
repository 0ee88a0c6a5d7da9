package dev.mely.examples.proxy;

import dev.mely.examples.http.BodyReader;
import dev.mely.examples.http.ChunkSizes;
import dev.mely.examples.http.HeadReader;
import dev.mely.examples.http.Header;
import dev.mely.examples.http.Malformed;
import dev.mely.examples.http.StatusLine;
import java.util.List;
import java.util.Set;

/**
 * The head of an origin's response.
 *
 * @param status 100 to 599
 * @param reason the reason phrase, possibly empty
 * @param minor minor version: 0 for HTTP/1.0
 * @param raw all fields
 * @param header the fields to forward: without hop-by-hop fields and length
 */
record OriginResponse(int status, String reason, int minor, Header raw, Header header) {
  private static final Set<String> FRAMING = Set.of("content-length");

  static OriginResponse parse(HeadReader.Head<StatusLine> head) throws Malformed {
    StatusLine line = head.start();
    Header raw = head.header();
    if (line.status() < 200
        && !(raw.all("content-length").stream().allMatch("0"::equals)
            && raw.all("transfer-encoding").isEmpty())) {
      throw new Malformed("an interim response announces content");
    }
    return new OriginResponse(
        line.status(), line.reason(), line.minor(), raw, raw.endToEnd().without(FRAMING));
  }

  boolean isInterim() {
    return status < 200;
  }

  /**
   * The body's framing. A response with contradictory or ambiguous framing is refused: another
   * reader could take content for the next response (response smuggling).
   *
   * @param toHead whether it answers HEAD
   */
  BodyReader body(boolean toHead) throws Malformed {
    List<String> codings = raw.all("transfer-encoding");
    long length = raw.contentLength();
    if (!codings.isEmpty()
        && (length >= 0
            || minor != 1 // only HTTP/1.1 has transfer codings
            || codings.size() > 1
            || !codings.get(0).equalsIgnoreCase("chunked"))) {
      throw new Malformed("the end of the body is ambiguous");
    }
    if (toHead || status == 204 || status == 304) {
      return BodyReader.none();
    }
    if (!codings.isEmpty()) {
      return BodyReader.chunked(ChunkSizes.ofResponse());
    }
    return length < 0 ? BodyReader.untilClose() : BodyReader.ofLength(length);
  }
}
