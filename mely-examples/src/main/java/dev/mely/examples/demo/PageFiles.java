package dev.mely.examples.demo;

import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The page's files: those of this package in the jar, and no other. */
final class PageFiles {
  private static final String PAGE = "/index.html";
  private static final Pattern NAME = Pattern.compile("/[a-z][a-z-]{0,30}\\.(html|css|js)");

  private PageFiles() {}

  /** Returns a file; null: there is none. */
  static byte @Nullable [] read(String path) throws IOException {
    String name = name(path);
    if (!NAME.matcher(name).matches()) {
      return null;
    }
    try (@Nullable InputStream file = PageFiles.class.getResourceAsStream(name.substring(1))) {
      return file == null ? null : file.readAllBytes();
    }
  }

  private static String name(String path) {
    return path.equals("/") ? PAGE : path;
  }

  /** The media type of a file that there is. */
  static String type(String path) {
    String name = name(path);
    String kind = name.substring(name.lastIndexOf('.') + 1);
    return "text/" + (kind.equals("js") ? "javascript" : kind) + "; charset=utf-8";
  }
}
