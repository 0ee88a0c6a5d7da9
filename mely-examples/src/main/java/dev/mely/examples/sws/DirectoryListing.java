package dev.mely.examples.sws;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** A directory as an HTML page: directories first, then files, by name. */
final class DirectoryListing {
  /** How many entries a page shows at most. */
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

  /**
   * Reads a directory and renders it; blocks on the disk.
   *
   * @param wanted whether the client still waits; if not, this stops early
   * @throws Refusal if it is not a directory, or is no longer wanted
   */
  static String render(ServedFolder folder, UrlPath url, BooleanSupplier wanted)
      throws IOException, Refusal {
    List<Entry> entries = new ArrayList<>();
    boolean all = read(folder, url, entries, wanted);
    entries.sort(ORDER);

    String title = "Index of " + escape(url.text());
    StringBuilder page = new StringBuilder(1024 + 128 * entries.size());
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>")
        .append(title)
        .append("</title>\n<style>body{font-family:sans-serif}td{padding:0 1em 0 0}")
        .append("td+td{text-align:right}</style>\n</head>\n<body>\n<h1>")
        .append(title)
        .append("</h1>\n<table>\n");
    if (!url.names().isEmpty()) {
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

  private static boolean read(
      ServedFolder folder, UrlPath url, List<Entry> entries, BooleanSupplier wanted)
      throws IOException, Refusal {
    try (ServedFolder.Node node = folder.open(url.names())) {
      if (!(node instanceof ServedFolder.OpenDirectory directory)) {
        throw Refusal.notFound();
      }
      for (Path path : directory.handle()) {
        if (!wanted.getAsBoolean()) {
          throw Refusal.of(Status.SERVICE_UNAVAILABLE, "The client has left.");
        }
        if (entries.size() == MAX_ENTRIES) {
          return false;
        }
        Path name = Objects.requireNonNull(path.getFileName());
        try {
          entries.add(entry(folder, url, directory.handle(), name));
        } catch (IOException | Refusal notServed) {
          // A link to the outside or to nothing, or a file deleted meanwhile: skip it.
        }
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return true;
  }

  private static Entry entry(
      ServedFolder folder, UrlPath url, SecureDirectoryStream<Path> directory, Path name)
      throws IOException, Refusal {
    String text = FileName.text(name);
    if (text == null) {
      throw Refusal.notFound(); // no URL can name it
    }
    BasicFileAttributes attributes = ServedFolder.attributes(directory, name);
    if (!attributes.isSymbolicLink()) {
      return new Entry(
          text,
          attributes.isDirectory(),
          attributes.size(),
          TIME.format(attributes.lastModifiedTime().toInstant()));
    }
    // A link is shown as its target, and only if that would be served.
    try (ServedFolder.Node target = folder.open(url.below(text))) {
      if (target instanceof ServedFolder.OpenFile file) {
        return new Entry(
            text, false, file.info().size(), TIME.format(file.info().modified().toInstant()));
      }
      return new Entry(text, true, 0, "");
    }
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
