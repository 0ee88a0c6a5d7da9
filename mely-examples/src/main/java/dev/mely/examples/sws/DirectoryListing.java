package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** A directory as an HTML page: directories first, then files, by name. */
final class DirectoryListing {
  /** So many entries are shown, and no more: a page must have an end. */
  private static final int MAX_ENTRIES = 10_000;

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  private static final Comparator<Entry> ORDER =
      Comparator.comparing(Entry::directory)
          .reversed()
          .thenComparing(Entry::name, String.CASE_INSENSITIVE_ORDER)
          .thenComparing(Entry::name);

  private DirectoryListing() {}

  private record Entry(String name, boolean directory, long size, String modified) {}

  /** Reads the directory and renders it; blocks on the disk. */
  static String render(Found.Directory directory) throws IOException {
    List<Entry> entries = new ArrayList<>();
    boolean all = read(directory.path(), entries);
    entries.sort(ORDER);

    String title = "Index of " + escape(directory.url().text());
    StringBuilder page = new StringBuilder(1024 + 128 * entries.size());
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .append(title)
        .append("</title>\n<style>body{font-family:sans-serif}td{padding:0 1em 0 0}")
        .append("td+td{text-align:right}</style>\n</head>\n<body>\n<h1>")
        .append(title)
        .append("</h1>\n<table>\n");
    if (!directory.url().names().isEmpty()) {
      page.append("<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
    }
    for (Entry entry : entries) {
      append(page, entry);
    }
    page.append("</table>\n");
    if (!all) {
      page.append("<p>Only the first ").append(MAX_ENTRIES).append(" entries are shown.</p>\n");
    }
    return page.append("</body>\n</html>\n").toString();
  }

  private static boolean read(Path directory, List<Entry> entries) throws IOException {
    try (DirectoryStream<Path> paths = Files.newDirectoryStream(directory)) {
      for (Path path : paths) {
        if (entries.size() == MAX_ENTRIES) {
          return false;
        }
        try {
          BasicFileAttributes attributes = Files.readAttributes(path, BasicFileAttributes.class);
          entries.add(
              new Entry(
                  String.valueOf(path.getFileName()),
                  attributes.isDirectory(),
                  attributes.size(),
                  TIME.format(attributes.lastModifiedTime().toInstant())));
        } catch (IOException dangling) {
          // A link to nowhere, or a file that has just gone: there is nothing to offer.
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return true;
  }

  private static void append(StringBuilder page, Entry entry) {
    String slash = entry.directory() ? "/" : "";
    // The leading dot keeps a name such as "javascript:x" from being read as a scheme.
    page.append("<tr><td><a href=\"./")
        .append(escape(UrlPath.encode(entry.name())))
        .append(slash)
        .append("\">")
        .append(escape(entry.name()))
        .append(slash)
        .append("</a></td><td>")
        .append(entry.directory() ? "" : entry.size())
        .append("</td><td>")
        .append(entry.modified())
        .append("</td></tr>\n");
  }

  /** Text as HTML, in an element or a quoted attribute. */
  static String escape(String text) {
    StringBuilder html = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '&' -> html.append("&amp;");
        case '<' -> html.append("&lt;");
        case '>' -> html.append("&gt;");
        case '"' -> html.append("&quot;");
        case '\'' -> html.append("&#39;");
        default -> html.append(c);
      }
    }
    return html.toString();
  }
}
