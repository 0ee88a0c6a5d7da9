package dev.mely.examples.sws;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.examples.http.HttpClock;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a connection of {@link SwsCoreServer} has in the place of CheckInCache with coloring 2003:
 * the way of its request through the page cache, part by part a color of its own.
 *
 * <pre>
 *   HashPath, urgent -> CheckPageCache, its color --- hit ----------------------> WriteResponse
 *                                   |                                                   ^
 *                                   +-- ReadPage -> disk -> FillPageCache, its color ---+
 * </pre>
 *
 * <p>Its fields belong to the connection's color, and while the request is there to that of the
 * page cache.
 */
final class CachedPage {
  private static final Handler<CachedPage> HASH_PATH = step("HashPath", CachedPage::hashPath);
  private static final Handler<CachedPage> CHECK_PAGE_CACHE =
      step("CheckPageCache", CachedPage::checkPageCache);
  private static final Handler<CachedPage> READ_PAGE = step("ReadPage", CachedPage::readPage);
  private static final Handler<CachedPage> FILL_PAGE_CACHE =
      step("FillPageCache", CachedPage::fillPageCache);

  /** A handler of which any failure, an {@code Error} too, ends the connection. */
  private static Handler<CachedPage> step(String name, Consumer<CachedPage> what) {
    return Handler.of(
            (CachedPage page) -> {
              boolean done = false;
              try {
                what.accept(page);
                done = true;
              } finally {
                if (!done) {
                  page.client.tell(SwsCoreClient.ABORT); // whatever color this is
                }
              }
            })
        .named(name);
  }

  private final SwsCoreClient client;
  private final SwsCoreServer server;

  // Of one request.
  private @Nullable Request asked;
  private Found.@Nullable OnDisk place;
  private @Nullable PageCache cache;
  private @Nullable PrebuiltResponse page;

  CachedPage(SwsCoreClient client, SwsCoreServer server) {
    this.client = client;
    this.server = server;
  }

  /** Sets out; the client is told of what has been found. The connection's color. */
  void start(Request request) {
    asked = request;
    mely().registerUrgent(client.color(), HASH_PATH, this);
  }

  private void hashPath() {
    Request request = Objects.requireNonNull(asked);
    asked = null;
    try {
      place = Found.OnDisk.of(request.target());
      cache = server.pageCache(path());
      mely().register(cache.color(), CHECK_PAGE_CACHE, this);
    } catch (Refusal why) {
      client.answer(new Found.Nothing(why));
    }
  }

  /** In the color of a part of the page cache. */
  private void checkPageCache() {
    Found hit = Objects.requireNonNull(cache).get(path(), HttpClock.now());
    if (hit != null) {
      client.answer(hit);
    } else {
      mely().register(client.color(), READ_PAGE, this);
    }
  }

  private void readPage() {
    client.askDisk(Objects.requireNonNull(place));
  }

  /** Keeps what the disk has given, then answers with it. The connection's color. */
  void fill(PrebuiltResponse read) {
    page = read;
    mely().register(Objects.requireNonNull(cache).color(), FILL_PAGE_CACHE, this);
  }

  /** In the color of a part of the page cache. */
  private void fillPageCache() {
    PrebuiltResponse read = Objects.requireNonNull(page);
    page = null;
    Objects.requireNonNull(cache).put(path(), read, HttpClock.now());
    client.answer(read);
  }

  private String path() {
    return Objects.requireNonNull(place).url().canonical();
  }

  private Mely mely() {
    return server.nio.mely();
  }
}
