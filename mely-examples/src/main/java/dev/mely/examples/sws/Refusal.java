package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Why a request gets an error instead of a file: the status, and a sentence for the user. Without a
 * stack trace, since the client is at fault.
 */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  /** A file that always exists and is readable: one of the JDK. */
  private static final Path ALWAYS_THERE =
      Path.of(System.getProperty("java.home"), "lib", "modules");

  private final transient Status status;
  private final boolean closing;

  private Refusal(Status status, String reason, boolean closing) {
    super(reason, null, false, false);
    this.status = status;
    this.closing = closing;
  }

  /** Keeps the connection: the end of the request is known. */
  static Refusal of(Status status, String reason) {
    return new Refusal(status, reason, false);
  }

  /** Closes the connection: where the next request begins is unknown or does not matter. */
  static Refusal closing(Status status, String reason) {
    return new Refusal(status, reason, true);
  }

  /** Maps a failure of the file system to an answer. */
  static Refusal of(IOException failure) {
    if (isShortage(failure)) {
      return of(Status.SERVICE_UNAVAILABLE, "The server has too many open files.");
    }
    if (failure instanceof AccessDeniedException) {
      return of(Status.FORBIDDEN, "The file may not be read.");
    }
    if (isAbsence(failure)) {
      // No such file, a name too long, a file where a directory is needed, a loop of links.
      return notFound();
    }
    return of(Status.INTERNAL_SERVER_ERROR, "The file could not be read.");
  }

  /** Whether a failure means that there is no such file. */
  static boolean isAbsence(IOException failure) {
    return failure instanceof FileSystemException
        && !(failure instanceof AccessDeniedException)
        && !isShortage(failure);
  }

  /**
   * Tells whether a failure is a temporary lack of file descriptors.
   *
   * @param failure of the file system
   * @return true also for another failure while there are none
   */
  public static boolean isShortage(IOException failure) {
    if (!(failure instanceof FileSystemException named)) {
      return saysShortage(failure.getMessage());
    }
    // Not by the message: it begins with a name that the client chose.
    return named.getClass() == FileSystemException.class // other failures have their own subclasses
        && (saysShortage(named.getReason()) || isShortNow());
  }

  private static boolean saysShortage(@Nullable String text) {
    return text != null && text.toLowerCase(Locale.ROOT).startsWith("too many open files");
  }

  /** Tries to open a file: the C library's error text may be in any language. */
  private static boolean isShortNow() {
    try {
      FileChannel.open(ALWAYS_THERE).close();
      return false;
    } catch (IOException e) {
      return e.getClass() == FileSystemException.class;
    }
  }

  /** The file is being replaced by another version. */
  static Refusal replaced() {
    return of(Status.SERVICE_UNAVAILABLE, "The file is being replaced.");
  }

  static Refusal notFound() {
    return of(Status.NOT_FOUND, "There is no such file here.");
  }

  Status status() {
    return status;
  }

  /** The number of the status: 403, 404, 500 or 503 where the file system is the reason. */
  public int code() {
    return status.code();
  }

  /** The sentence for the user. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  boolean isClosing() {
    return closing;
  }
}
