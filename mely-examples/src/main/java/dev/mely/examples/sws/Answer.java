package dev.mely.examples.sws;

import dev.mely.examples.http.HttpClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Builds responses for one request: the header, and the body unless it is a file's content or the
 * request is HEAD.
 */
final class Answer {
  /** The value of the {@code server} field. */
  static final String SERVER = "Mely-SWS";

  private static final String TEXT = "text/plain; charset=utf-8";

  private final Request request;
  private final StringBuilder head = new StringBuilder(256);
  private byte[] body = {};

  private Answer(Request request, Status status, HttpClock now) {
    this.request = request;
    head.append("HTTP/1.1 ").append(status).append("\r\n");
    with("server", SERVER).with("date", now.date());
    if (!request.keepAlive()) {
      with("connection", "close");
    } else if (request.http10()) {
      with("connection", "keep-alive");
    }
  }

  private Answer with(String name, Object value) {
    head.append(name).append(": ").append(value).append("\r\n");
    return this;
  }

  private Answer version(Representation file, HttpClock now) {
    return with("etag", file.tag()).with("last-modified", HttpClock.format(file.lastModified(now)));
  }

  private Answer content(String type, long length) {
    return with("content-type", type)
        .with("content-length", length)
        .with("x-content-type-options", "nosniff");
  }

  private ByteBuffer body(String type, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    body = request.head() ? body : bytes;
    return content(type, bytes.length).bytes();
  }

  private ByteBuffer bytes() {
    byte[] header = head.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocate(header.length + body.length).put(header).put(body).flip();
  }

  // ---- The kinds

  /** The header for a file, by conditions and ranges; the caller sends the content after it. */
  static ByteBuffer of(Request request, Representation file, Selection selection, HttpClock now) {
    long size = file.size();
    return switch (selection.kind()) {
      case WHOLE -> file(new Answer(request, Status.OK, now), file, selection, now).bytes();
      case PART -> {
        long last = selection.first() + selection.length() - 1;
        yield file(new Answer(request, Status.PARTIAL_CONTENT, now), file, selection, now)
            .with("content-range", "bytes " + selection.first() + '-' + last + '/' + size)
            .bytes();
      }
      case NOT_MODIFIED -> new Answer(request, Status.NOT_MODIFIED, now).version(file, now).bytes();
      case UNSATISFIABLE ->
          new Answer(request, Status.REQUESTED_RANGE_NOT_SATISFIABLE, now)
              .with("content-range", "bytes */" + size)
              .body(TEXT, "The file has " + size + " bytes.\n");
    };
  }

  private static Answer file(Answer head, Representation file, Selection part, HttpClock now) {
    return head.content(file.type(), part.length())
        .version(file, now)
        .with("accept-ranges", "bytes");
  }

  /** A redirect from a directory without a trailing slash to the one with it. */
  static ByteBuffer of(Request request, Found.Redirect redirect, HttpClock now) {
    return new Answer(request, Status.MOVED_PERMANENTLY, now)
        .with("location", redirect.location())
        .body(TEXT, redirect.location() + '\n');
  }

  /** A page generated for this request. */
  static ByteBuffer of(Request request, Found.Page page, HttpClock now) {
    return new Answer(request, Status.OK, now)
        .with("cache-control", "no-cache")
        .with("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
        .body("text/html; charset=utf-8", page.html());
  }

  /** An error in place of a file. */
  static ByteBuffer of(Request request, Refusal refusal, HttpClock now) {
    Answer answer = new Answer(request, refusal.status(), now);
    if (refusal.status() == Status.METHOD_NOT_ALLOWED) {
      answer.with("allow", "GET, HEAD");
    } else if (refusal.status() == Status.SERVICE_UNAVAILABLE) {
      answer.with("retry-after", "1");
    }
    return answer.body(TEXT, refusal.status() + "\n" + refusal.reason() + "\n");
  }

  /** A 503: there are too many clients. */
  static ByteBuffer tooManyClients(HttpClock now) {
    Refusal refusal = Refusal.of(Status.SERVICE_UNAVAILABLE, "Too many clients; try again.");
    return of(Request.none(refusal), refusal, now);
  }

  /** Tells a client that it may send its body. */
  static ByteBuffer goOn() {
    return ByteBuffer.wrap("HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
  }
}
