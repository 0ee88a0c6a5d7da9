package dev.mely.examples.sws;

import dev.mely.Handler;
import dev.mely.Mely;
import dev.mely.examples.http.HttpClock;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Replaces CheckInCache in a connection of {@link SwsCoreServer} with coloring 2003: takes a
 * request through the page cache, each part of which has a color of its own.
 *
 * <pre>
 *   HashPath, urgent -> CheckPageCache, its color --- hit ----------------------> WriteResponse
 *                                   |                                                   ^
 *                                   +-- ReadPage -> disk -> FillPageCache, its color ---+
 * </pre>
 *
 * <p>Its fields belong to the connection's color, or to that of the page cache while the request is
 * there.
 */
final class CachedPage {
  private static final Handler<CachedPage> HASH_PATH = step("HashPath", CachedPage::hashPath);
  private static final Handler<CachedPage> CHECK_PAGE_CACHE =
      step("CheckPageCache", CachedPage::checkPageCache);
  private static final Handler<CachedPage> READ_PAGE = step("ReadPage", CachedPage::readPage);
  private static final Handler<CachedPage> FILL_PAGE_CACHE =
      step("FillPageCache", CachedPage::fillPageCache);

  /** Makes a handler; any exception or error in it ends the connection. */
  private static Handler<CachedPage> step(String name, Consumer<CachedPage> what) {
    return Handler.of(
            (CachedPage page) -> {
              boolean done = false;
              try {
                what.accept(page);
                done = true;
              } finally {
                if (!done) {
                  page.client.tell(SwsCoreClient.ABORT); // from either color
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

  /** Starts a lookup, whose result goes to the client. The connection's color. */
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

  /** Caches what was read from the disk, then answers with it. The connection's color. */
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
