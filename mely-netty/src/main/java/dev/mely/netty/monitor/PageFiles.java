package dev.mely.netty.monitor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The page's files: these, of this jar, and no other. They are in memory from then on. */
final class PageFiles {
  private static final String PAGE = new String(read("index.html"), StandardCharsets.UTF_8);

  /** The others, by name. */
  private static final Map<String, byte[]> FILES =
      Stream.of(
              "monitor.css",
              "cores.css",
              "history.css",
              "table.css",
              "monitor.js",
              "group.js",
              "cores.js",
              "history.js",
              "table.js",
              "dom.js")
          .collect(Collectors.toUnmodifiableMap(name -> name, PageFiles::read));

  private PageFiles() {}

  private static byte[] read(String name) {
    try (@Nullable InputStream file = PageFiles.class.getResourceAsStream(name)) {
      if (file == null) {
        throw new IllegalStateException("the jar has no " + name);
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The page.
   *
   * @param base what stands before the names of the other files, in their addresses
   */
  static byte[] page(String base) {
    return PAGE.replace("{base}", base).getBytes(StandardCharsets.UTF_8);
  }

  /** Another file of the page; null: there is none of that name. */
  static byte @Nullable [] file(String name) {
    return FILES.get(name);
  }

  static String type(String name) {
    return name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
  }
}
