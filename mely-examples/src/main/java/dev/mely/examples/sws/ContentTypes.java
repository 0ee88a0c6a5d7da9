package dev.mely.examples.sws;

import java.util.Locale;
import java.util.Map;

/** Content types by file name. */
final class ContentTypes {
  private static final String UNKNOWN = "application/octet-stream";
  private static final String TEXT = "text/plain; charset=utf-8";

  private static final Map<String, String> BY_EXTENSION =
      Map.ofEntries(
          Map.entry("aac", "audio/aac"),
          Map.entry("avif", "image/avif"),
          Map.entry("bin", UNKNOWN),
          Map.entry("bmp", "image/bmp"),
          Map.entry("c", TEXT),
          Map.entry("css", "text/css; charset=utf-8"),
          Map.entry("csv", "text/csv; charset=utf-8"),
          Map.entry("epub", "application/epub+zip"),
          Map.entry("flac", "audio/flac"),
          Map.entry("gif", "image/gif"),
          Map.entry("gz", "application/gzip"),
          Map.entry("h", TEXT),
          Map.entry("htm", "text/html; charset=utf-8"),
          Map.entry("html", "text/html; charset=utf-8"),
          Map.entry("ico", "image/x-icon"),
          Map.entry("ics", "text/calendar; charset=utf-8"),
          Map.entry("jar", "application/java-archive"),
          Map.entry("java", TEXT),
          Map.entry("jpeg", "image/jpeg"),
          Map.entry("jpg", "image/jpeg"),
          Map.entry("js", "text/javascript; charset=utf-8"),
          Map.entry("json", "application/json"),
          Map.entry("log", TEXT),
          Map.entry("m4a", "audio/mp4"),
          Map.entry("map", "application/json"),
          Map.entry("md", "text/markdown; charset=utf-8"),
          Map.entry("mjs", "text/javascript; charset=utf-8"),
          Map.entry("mov", "video/quicktime"),
          Map.entry("mp3", "audio/mpeg"),
          Map.entry("mp4", "video/mp4"),
          Map.entry("oga", "audio/ogg"),
          Map.entry("ogg", "audio/ogg"),
          Map.entry("ogv", "video/ogg"),
          Map.entry("opus", "audio/opus"),
          Map.entry("otf", "font/otf"),
          Map.entry("pdf", "application/pdf"),
          Map.entry("png", "image/png"),
          Map.entry("properties", TEXT),
          Map.entry("sh", TEXT),
          Map.entry("svg", "image/svg+xml"),
          Map.entry("tar", "application/x-tar"),
          Map.entry("tif", "image/tiff"),
          Map.entry("tiff", "image/tiff"),
          Map.entry("toml", TEXT),
          Map.entry("ttf", "font/ttf"),
          Map.entry("txt", TEXT),
          Map.entry("wasm", "application/wasm"),
          Map.entry("wav", "audio/wav"),
          Map.entry("webm", "video/webm"),
          Map.entry("webmanifest", "application/manifest+json"),
          Map.entry("webp", "image/webp"),
          Map.entry("woff", "font/woff"),
          Map.entry("woff2", "font/woff2"),
          Map.entry("xhtml", "application/xhtml+xml"),
          Map.entry("xml", "application/xml"),
          Map.entry("xz", "application/x-xz"),
          Map.entry("yaml", "application/yaml"),
          Map.entry("yml", "application/yaml"),
          Map.entry("zip", "application/zip"),
          Map.entry("zst", "application/zstd"));

  private ContentTypes() {}

  /** The type of a file name; of an unknown extension, plain bytes. */
  static String of(String fileName) {
    int dot = fileName.lastIndexOf('.');
    if (dot < 0) {
      return UNKNOWN;
    }
    return BY_EXTENSION.getOrDefault(fileName.substring(dot + 1).toLowerCase(Locale.ROOT), UNKNOWN);
  }
}
