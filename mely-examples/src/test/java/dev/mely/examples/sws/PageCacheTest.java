package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.mely.Mely;
import dev.mely.examples.http.HttpClock;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a part of the page cache keeps, and what it gives up. */
class PageCacheTest {
  @TempDir private Path folder;

  /** A page that was read now, of a file that changed some seconds ago. */
  private PrebuiltResponse page(int size, int secondsAgo, HttpClock now) throws Exception {
    Path path = Files.write(folder.resolve("page"), new byte[size]);
    Files.setLastModifiedTime(path, FileTime.fromMillis((now.second() - secondsAgo) * 1000));
    FileInfo info = FileInfo.of("page", Files.readAttributes(path, BasicFileAttributes.class));
    try (FileChannel channel = FileChannel.open(path)) {
      return PrebuiltResponse.read(new ServedFolder.OpenFile(info, channel), null, now);
    }
  }

  @Test
  void whatWasNotAskedForForLongestGoes() throws Exception {
    try (Mely mely = Mely.builder().cores(1).build()) {
      PageCache cache = new PageCache(mely.newColor(), 1_000);
      HttpClock now = HttpClock.now();
      cache.put("/a", page(400, 10, now), now);
      cache.put("/b", page(400, 10, now), now);
      assertNotNull(cache.get("/a", now));
      cache.put("/c", page(400, 10, now), now);
      assertNull(cache.get("/b", now), "asked for before the others");
      assertNotNull(cache.get("/a", now));
      assertNotNull(cache.get("/c", now));
      // The same page again counts once.
      cache.put("/c", page(600, 10, now), now);
      assertNotNull(cache.get("/a", now));
      assertEquals(600, cache.get("/c", now).file().size());
    }
  }

  @Test
  void someAreNotKept() throws Exception {
    try (Mely mely = Mely.builder().cores(1).build()) {
      PageCache cache = new PageCache(mely.newColor(), 1_000);
      HttpClock now = HttpClock.now();
      cache.put("/large", page(1_001, 10, now), now);
      assertNull(cache.get("/large", now));
      cache.put("/new", page(10, 0, now), now);
      assertNull(cache.get("/new", now), "may change once more in the same moment");
    }
  }
}
