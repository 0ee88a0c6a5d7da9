package dev.mely.examples.sws;

import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.util.Locale;

/**
 * A request that gets an error in place of a file: the status, and a sentence for the person who
 * made it. Carries no stack trace, since it reports on the client.
 */
final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient HttpResponseStatus status;
  private final boolean closing;

  private Refusal(HttpResponseStatus status, String reason, boolean closing) {
    super(reason, null, false, false);
    this.status = status;
    this.closing = closing;
  }

  /** The connection can go on: the request was understood, its end is known. */
  static Refusal of(HttpResponseStatus status, String reason) {
    return new Refusal(status, reason, false);
  }

  /** The connection cannot go on: where the next request begins is unknown or beside the point. */
  static Refusal closing(HttpResponseStatus status, String reason) {
    return new Refusal(status, reason, true);
  }

  /** What a failure of the file system means to the client. */
  static Refusal of(IOException failure) {
    String message = String.valueOf(failure.getMessage()).toLowerCase(Locale.ROOT);
    if (message.contains("too many open files")) {
      return of(HttpResponseStatus.SERVICE_UNAVAILABLE, "The server has too many open files.");
    }
    if (failure instanceof AccessDeniedException) {
      return of(HttpResponseStatus.FORBIDDEN, "The file may not be read.");
    }
    if (failure instanceof FileSystemException) {
      // No such file, a name too long, a file where a directory is needed, a loop of links.
      return notFound();
    }
    return of(HttpResponseStatus.INTERNAL_SERVER_ERROR, "The file could not be read.");
  }

  static Refusal notFound() {
    return of(HttpResponseStatus.NOT_FOUND, "There is no such file here.");
  }

  HttpResponseStatus status() {
    return status;
  }

  String reason() {
    return String.valueOf(getMessage());
  }

  boolean isClosing() {
    return closing;
  }
}
