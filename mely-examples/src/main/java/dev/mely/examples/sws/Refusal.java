package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A request that gets an error in place of a file: the status, and a sentence for the person who
 * made it. Carries no stack trace, since it reports on the client.
 */
public final class Refusal extends Exception {
  private static final long serialVersionUID = 1L;

  /** A file that the process may read: of the virtual machine itself. */
  private static final Path ALWAYS_THERE =
      Path.of(System.getProperty("java.home"), "lib", "modules");

  private final transient Status status;
  private final boolean closing;

  private Refusal(Status status, String reason, boolean closing) {
    super(reason, null, false, false);
    this.status = status;
    this.closing = closing;
  }

  /** The connection can go on: the request was understood, its end is known. */
  static Refusal of(Status status, String reason) {
    return new Refusal(status, reason, false);
  }

  /** The connection cannot go on: where the next request begins is unknown or beside the point. */
  static Refusal closing(Status status, String reason) {
    return new Refusal(status, reason, true);
  }

  /** What a failure of the file system means to the client. */
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

  /** Whether a failure says that the name leads to nothing. */
  static boolean isAbsence(IOException failure) {
    return failure instanceof FileSystemException
        && !(failure instanceof AccessDeniedException)
        && !isShortage(failure);
  }

  /**
   * Tells whether a failure is for lack of descriptors, and passes.
   *
   * @param failure of the file system
   * @return true as well if another failure came while there were none
   */
  public static boolean isShortage(IOException failure) {
    if (!(failure instanceof FileSystemException named)) {
      return saysShortage(failure.getMessage());
    }
    // Not the message: that begins with a name, which is the client's.
    return named.getClass() == FileSystemException.class // else it has a kind of its own
        && (saysShortage(named.getReason()) || isShortNow());
  }

  private static boolean saysShortage(@Nullable String text) {
    return text != null && text.toLowerCase(Locale.ROOT).startsWith("too many open files");
  }

  /** What the C library says may be in any language, so a descriptor is asked for. */
  private static boolean isShortNow() {
    try {
      FileChannel.open(ALWAYS_THERE).close();
      return false;
    } catch (IOException e) {
      return e.getClass() == FileSystemException.class;
    }
  }

  /** Another version takes the place of a file while it is looked at. */
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

  /** The sentence for the person. */
  public String reason() {
    return String.valueOf(getMessage());
  }

  boolean isClosing() {
    return closing;
  }
}
