package dev.mely.examples.sws;

import dev.mely.Color;
import dev.mely.examples.http.HttpClock;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One part of the libasync-smp paper's page cache. Mutable, without a lock: all methods except
 * {@link #color} belong to its color.
 */
class PageCache {
  /** A file changed less than this ago may change again without a new time stamp. */
  private static final int SETTLED_SECONDS = 2;

  private final Color color;
  private final long limit;

  /** Least recently used first. */
  private final Map<String, PrebuiltResponse> pages = new LinkedHashMap<>(16, 0.75f, true);

  private long bytes;

  /**
   * Makes an empty part.
   *
   * @param color to which it belongs
   * @param limit how many bytes of bodies to keep
   */
  PageCache(Color color, long limit) {
    this.color = color;
    this.limit = limit;
  }

  Color color() {
    return color;
  }

  /** A page checked in this second; null if the disk must be asked. */
  @Nullable PrebuiltResponse get(String path, HttpClock now) {
    PrebuiltResponse page = pages.get(path);
    return page != null && page.isFresh(now) ? page : null;
  }

  /** Adds a page; evicts the least recently used ones. */
  void put(String path, PrebuiltResponse page, HttpClock now) {
    Representation file = page.file();
    if (file.size() > limit || file.modified() > now.second() - SETTLED_SECONDS) {
      return;
    }
    count(pages.put(path, page), -1);
    bytes += file.size();
    var oldest = pages.values().iterator();
    while (bytes > limit) {
      count(oldest.next(), -1);
      oldest.remove();
    }
  }

  private void count(@Nullable PrebuiltResponse page, int sign) {
    bytes += page == null ? 0 : sign * page.file().size();
  }
}
