package dev.mely.examples.sws;

import java.nio.file.Path;

/** What a request target names. */
sealed interface Found permits FileInfo, PrebuiltResponse, Found.Directory, Found.Redirect {

  /**
   * A directory without an index file.
   *
   * @param path where it is
   * @param url what was asked for; ends in a slash
   */
  record Directory(Path path, UrlPath url) implements Found {}

  /**
   * A directory asked for without its trailing slash, without which relative links go wrong.
   *
   * @param location where to ask instead; begins with exactly one slash
   */
  record Redirect(String location) implements Found {}
}
