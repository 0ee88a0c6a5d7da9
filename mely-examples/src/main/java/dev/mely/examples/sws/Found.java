package dev.mely.examples.sws;

import java.io.IOException;
import org.slf4j.LoggerFactory;

/** What a request target names. */
sealed interface Found
    permits PrebuiltResponse,
        Found.OnDisk,
        Found.File,
        Found.Directory,
        Found.Page,
        Found.Redirect,
        Found.Nothing {

  /** Releases what this holds, if it is not used. */
  default void discard() {}

  /**
   * Nothing in memory: the disk must be asked.
   *
   * @param url the requested path
   * @param query with its question mark; empty if there is none
   */
  record OnDisk(UrlPath url, String query) implements Found {
    /**
     * Parses a request target.
     *
     * @throws Refusal if it is not a path
     */
    static OnDisk of(String target) throws Refusal {
      int query = target.indexOf('?');
      return new OnDisk(UrlPath.parse(target), query < 0 ? "" : target.substring(query));
    }
  }

  /**
   * A file, open.
   *
   * @param open closed by its recipient
   * @param file its HTTP representation
   */
  record File(ServedFolder.OpenFile open, Representation file) implements Found {
    @Override
    public void discard() {
      try {
        open.close();
      } catch (IOException e) {
        LoggerFactory.getLogger(Found.class).debug("a file was not closed well", e);
      }
    }
  }

  /**
   * A directory without an index file.
   *
   * @param url the requested path; ends in a slash
   */
  record Directory(UrlPath url) implements Found {}

  /**
   * The listing of a directory.
   *
   * @param html the whole page
   */
  record Page(String html) implements Found {}

  /**
   * A directory requested without its trailing slash, without which relative links would be wrong.
   *
   * @param location the redirect's target; begins with exactly one slash
   */
  record Redirect(String location) implements Found {}

  /**
   * Nothing that may be served.
   *
   * @param refusal why
   */
  record Nothing(Refusal refusal) implements Found {}
}
