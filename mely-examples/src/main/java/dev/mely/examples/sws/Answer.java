package dev.mely.examples.sws;

import dev.mely.examples.http.Header;
import dev.mely.examples.http.HttpClock;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A response that is made for one request: its header, and its body unless that is a file's or not
 * wanted.
 */
final class Answer {
  /** The value of the {@code server} field. */
  static final String SERVER = "Mely-SWS";

  private static final String TEXT = "text/plain; charset=utf-8";
  private static final byte[] NOTHING = {};

  private final Status status;

  private final List<Header.Line> fields = new ArrayList<>(10);

  private byte[] body = NOTHING;

  private Answer(Request request, Status status, boolean open, HttpClock now) {
    this.status = status;
    with("server", SERVER);
    with("date", now.date());
    if (!open) {
      with("connection", "close");
    } else if (request.http10()) {
      with("connection", "keep-alive");
    }
  }

  private Answer with(String name, String value) {
    fields.add(new Header.Line(name, value));
    return this;
  }

  private Answer body(Request request, String type, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    body = request.head() ? NOTHING : bytes;
    return with("content-type", type)
        .with("x-content-type-options", "nosniff")
        .with("content-length", "" + bytes.length);
  }

  // ---- The kinds

  /** A file, or a part of it, which the caller sends behind this. */
  private static Answer file(
      Request request,
      Representation file,
      @Nullable RangeHeader range,
      boolean open,
      HttpClock now) {
    Answer answer =
        new Answer(request, range == null ? Status.OK : Status.PARTIAL_CONTENT, open, now)
            .with("content-type", file.type())
            .with("content-length", "" + (range == null ? file.size() : range.length()))
            .with("etag", file.tag().toString())
            .with("last-modified", file.lastModifiedDate(now))
            .with("accept-ranges", "bytes")
            .with("x-content-type-options", "nosniff");
    return range == null
        ? answer
        : answer.with(
            "content-range", "bytes " + range.first() + '-' + range.last() + '/' + file.size());
  }

  /** The client's copy of a file is still good. */
  private static Answer notModified(
      Request request, Representation file, boolean open, HttpClock now) {
    return new Answer(request, Status.NOT_MODIFIED, open, now)
        .with("etag", file.tag().toString())
        .with("last-modified", file.lastModifiedDate(now));
  }

  /** No byte of the range is in the file. */
  private static Answer unsatisfiable(Request request, long size, boolean open, HttpClock now) {
    return new Answer(request, Status.REQUESTED_RANGE_NOT_SATISFIABLE, open, now)
        .with("content-range", "bytes */" + size)
        .body(request, TEXT, "The file has " + size + " bytes.\n");
  }

  /** What conditions and ranges make of a file. */
  static Answer of(
      Request request, Representation file, Selection selection, boolean open, HttpClock now) {
    return switch (selection.kind()) {
      case WHOLE, PART -> file(request, file, selection.range(), open, now);
      case NOT_MODIFIED -> notModified(request, file, open, now);
      case UNSATISFIABLE -> unsatisfiable(request, file.size(), open, now);
    };
  }

  /** A directory has its content elsewhere: below a slash. */
  static Answer of(Request request, Found.Redirect redirect, boolean open, HttpClock now) {
    return new Answer(request, Status.MOVED_PERMANENTLY, open, now)
        .with("location", redirect.location())
        .body(request, TEXT, redirect.location() + '\n');
  }

  /** A page made for this request. */
  static Answer of(Request request, Found.Page page, boolean open, HttpClock now) {
    return new Answer(request, Status.OK, open, now)
        .with("cache-control", "no-cache")
        .with("content-security-policy", "default-src 'none'; style-src 'unsafe-inline'")
        .body(request, "text/html; charset=utf-8", page.html());
  }

  /** An error in place of a file. */
  static Answer refusal(Request request, Refusal refusal, boolean open, HttpClock now) {
    Answer answer = new Answer(request, refusal.status(), open, now);
    if (refusal.status() == Status.METHOD_NOT_ALLOWED) {
      answer.with("allow", "GET, HEAD");
    } else if (refusal.status() == Status.SERVICE_UNAVAILABLE) {
      answer.with("retry-after", "1");
    }
    return answer.body(request, TEXT, refusal.status() + "\n" + refusal.reason() + "\n");
  }

  /** There are too many clients already; whatever this one was about to ask. */
  static Answer tooManyClients(HttpClock now) {
    Refusal refusal = Refusal.of(Status.SERVICE_UNAVAILABLE, "Too many clients; try again.");
    return refusal(Request.none(refusal), refusal, false, now);
  }

  // ---- What it comes to

  Status status() {
    return status;
  }

  List<Header.Line> fields() {
    return fields;
  }

  /** The body; empty if a file follows, or none is wanted. */
  byte[] body() {
    return body;
  }

  /** Header and body as they are sent. */
  ByteBuffer bytes() {
    byte[] header = new Header(fields).head("HTTP/1.1 " + status);
    return ByteBuffer.allocate(header.length + body.length).put(header).put(body).flip();
  }
}
