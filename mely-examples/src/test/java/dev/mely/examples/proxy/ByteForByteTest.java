package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code -Dmely.proxy.requests} requests, 10,000 if it is not said, from {@code -Dmely.proxy.seed}
 * on, by several clients at a time, to an origin that misbehaves in every way: what each client
 * gets is what the origin has said, byte for byte, or visibly less.
 */
@Timeout(300)
class ByteForByteTest {
  private static final int REQUESTS = Integer.getInteger("mely.proxy.requests", 10_000);
  private static final long SEED = Long.getLong("mely.proxy.seed", 1);
  private static final int CLIENTS = 8;
  private static final int NAMES = 60;

  /** What an origin may do; the path of a request names one. */
  private enum Kind {
    LENGTH(true, false),
    CHUNKED(true, false),
    INTERIM(true, false),
    PIECES(true, false),
    VARYING(true, false),
    VALIDATED(true, false),
    UNTIL_CLOSE(false, false),
    UNSTORED(false, false),
    BODILESS(false, false),
    TOO_SHORT(false, true),
    TOO_LONG(false, false),
    RESET(false, true),
    CHUNKS_CUT(false, true),
    BAD_CHUNK(false, true),
    GARBAGE(false, false),
    HUGE_HEADER(false, false),
    TWO_LENGTHS(false, false),
    BOTH(false, false),
    NOTHING(false, false),
    REFUSED(false, false);

    final boolean storable;

    /** Whether it may turn out to be wrong when its beginning is on its way already. */
    final boolean breaks;

    Kind(boolean storable, boolean breaks) {
      this.storable = storable;
      this.breaks = breaks;
    }
  }

  /** The content of a path; each begins differently. */
  private static byte[] content(String path, String variant) {
    String name = path + " " + variant + "\n";
    SplittableRandom random = new SplittableRandom(name.hashCode() ^ SEED);
    byte[] rest =
        new byte[random.nextInt(10) == 0 ? random.nextInt(100_000) : random.nextInt(2_000)];
    random.nextBytes(rest);
    byte[] first = name.getBytes(StandardCharsets.US_ASCII);
    byte[] all = Arrays.copyOf(first, first.length + rest.length);
    System.arraycopy(rest, 0, all, first.length, rest.length);
    return all;
  }

  private static String variant(WildOrigin.Asked asked) {
    String variant = asked.field("x-variant");
    return asked.path().startsWith("/VARYING") && variant != null ? variant : "";
  }

  /** All that is said; how it goes on is random. */
  private static void answer(WildOrigin.Asked asked, Socket socket) throws IOException {
    String path = asked.path();
    Kind kind = Kind.valueOf(path.split("/")[1]);
    byte[] content = content(path, variant(asked));
    int half = content.length / 2;
    SplittableRandom random = new SplittableRandom(SEED + path.hashCode());
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    String fresh = "HTTP/1.1 200 OK\r\nCache-Control: max-age=1000\r\n";
    switch (kind) {
      case LENGTH -> say(said, fresh, length(content.length), content);
      case CHUNKED ->
          say(said, fresh, "Transfer-Encoding: chunked\r\n\r\n", chunks(content, random));
      case INTERIM -> {
        say(said, "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
        say(said, fresh, length(content.length), content);
      }
      case PIECES -> {
        say(said, fresh, length(content.length), content);
        byte[] all = said.toByteArray();
        for (int at = 0; at < all.length; ) {
          int end = Math.min(all.length, at + 1 + random.nextInt(all.length / 3 + 1));
          WildOrigin.send(socket, Arrays.copyOfRange(all, at, end));
          at = end;
        }
        return;
      }
      case VARYING -> say(said, fresh, "Vary: X-Variant\r\n", length(content.length), content);
      case VALIDATED -> {
        String tag = "\"" + path + "\"";
        String fields = "ETag: " + tag + "\r\nCache-Control: max-age=0\r\n";
        if (tag.equals(asked.field("if-none-match"))) {
          say(said, "HTTP/1.1 304 Not Modified\r\n", fields, "\r\n");
        } else {
          say(said, "HTTP/1.1 200 OK\r\n", fields, length(content.length), content);
        }
      }
      case UNTIL_CLOSE -> say(said, "HTTP/1.0 200 OK\r\nCache-Control: max-age=9\r\n\r\n", content);
      case UNSTORED ->
          say(
              said,
              "HTTP/1.1 200 OK\r\nCache-Control: no-store\r\n",
              length(content.length),
              content);
      case BODILESS ->
          say(said, "HTTP/1.1 204 No Content\r\nCache-Control: max-age=9\r\n\r\n", content);
      case TOO_SHORT -> say(said, fresh, length(content.length + 1 + random.nextInt(50)), content);
      case TOO_LONG -> say(said, fresh, length(half), content);
      case RESET -> {
        say(said, fresh, length(content.length), Arrays.copyOf(content, half));
        WildOrigin.send(socket, said.toByteArray());
        WildOrigin.reset(socket);
        return;
      }
      case CHUNKS_CUT -> {
        byte[] chunks = chunks(content, random);
        byte[] cut = Arrays.copyOf(chunks, chunks.length - 1 - random.nextInt(5));
        say(said, fresh, "Transfer-Encoding: chunked\r\n\r\n", cut);
      }
      case BAD_CHUNK ->
          say(said, fresh, "Transfer-Encoding: chunked\r\n\r\n", chunks(content, random, "x"));
      case GARBAGE -> say(said, content);
      case HUGE_HEADER ->
          say(said, fresh, "X: " + "y".repeat(70_000) + "\r\n", length(content.length), content);
      case TWO_LENGTHS ->
          say(said, fresh, "Content-Length: " + half + "\r\n", length(content.length), content);
      case BOTH ->
          say(
              said,
              fresh,
              "Transfer-Encoding: chunked\r\n",
              length(content.length),
              chunks(content, random));
      case NOTHING -> {
        return;
      }
      case REFUSED -> throw new AssertionError("nobody is asked");
    }
    WildOrigin.send(socket, said.toByteArray());
  }

  private static String length(int length) {
    return "Content-Length: " + length + "\r\n\r\n";
  }

  private static byte[] chunks(byte[] content, SplittableRandom random) {
    return chunks(content, random, "");
  }

  /** Chunks, and perhaps a trailer. */
  private static byte[] chunks(byte[] content, SplittableRandom random, String wrong) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (int at = 0; at < content.length; ) {
      int end = Math.min(content.length, at + 1 + random.nextInt(content.length));
      say(all, Integer.toHexString(end - at) + "\r\n", Arrays.copyOfRange(content, at, end));
      say(all, wrong + "\r\n");
      at = end;
    }
    say(all, "0\r\n", random.nextBoolean() ? "X-Trailer: yes\r\n" : "", "\r\n");
    return all.toByteArray();
  }

  private static void say(ByteArrayOutputStream said, Object... parts) {
    for (Object part : parts) {
      said.writeBytes(
          part instanceof byte[] bytes
              ? bytes
              : part.toString().getBytes(StandardCharsets.ISO_8859_1));
    }
  }

  private final AtomicInteger hits = new AtomicInteger();
  private int closedPort;

  @Test
  void whatTheOriginSaidAndNothingElse() throws Exception {
    System.out.println("byte for byte: -Dmely.proxy.seed=" + SEED);
    try (Socket deaf = Proxies.deaf();
        WildOrigin origin = new WildOrigin(ByteForByteTest::answer);
        // small: much is thrown out again while others read it
        ProxyServer proxy = ProxyServer.start(Proxies.caching(2 << 20, 60_000))) {
      closedPort = deaf.getLocalPort();
      List<CompletableFuture<Void>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        SplittableRandom random = new SplittableRandom(SEED * CLIENTS + i);
        clients.add(
            CompletableFuture.runAsync(
                () -> ask(proxy, origin, random, REQUESTS / CLIENTS),
                task -> new Thread(task, "client").start()));
      }
      CompletableFuture.allOf(clients.toArray(CompletableFuture[]::new)).get(280, TimeUnit.SECONDS);
      assertTrue(hits.get() > 0, "nothing was answered from the cache");
      patiently().until(() -> proxy.clients().open() == 0 && proxy.cache.collected() == 0);
      nothingWrongIsKept(proxy, origin);
      System.out.println(
          "byte for byte: " + REQUESTS + " requests, " + hits + " hits, " + origin.requests());
    }
  }

  private void ask(ProxyServer proxy, WildOrigin origin, SplittableRandom random, int count) {
    HttpClient client = null;
    try {
      for (int i = 0; i < count; i++) {
        if (client == null) {
          client = new HttpClient(proxy.address());
        }
        Kind[] kinds = Kind.values();
        Kind kind = kinds[random.nextInt(kinds.length)];
        String path = "/" + kind + "/" + random.nextInt(NAMES);
        String variant = "" + random.nextInt(3);
        String authority = kind == Kind.REFUSED ? "127.0.0.1:" + closedPort : origin.authority();
        String wish = random.nextInt(8) == 0 ? "Cache-Control: no-cache" : "X-None: 0";
        HttpClient.Reply reply;
        try {
          reply = client.get("http://" + authority + path, "X-Variant: " + variant, wish);
        } catch (IOException reset) {
          if (!kind.breaks) {
            throw reset;
          }
          client.close();
          client = null;
          continue;
        }
        check(kind, reply, content(path, kind == Kind.VARYING ? variant : ""), path);
        hits.addAndGet(reply.isHit() ? 1 : 0);
        if (!reply.isOpen() || random.nextInt(50) == 0) {
          client.close();
          client = null;
        }
      }
    } catch (IOException e) {
      throw new AssertionError("-Dmely.proxy.seed=" + SEED, e);
    } finally {
      try {
        if (client != null) {
          client.close();
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
  }

  private static void check(Kind kind, HttpClient.Reply reply, byte[] content, String path) {
    String what = "-Dmely.proxy.seed=" + SEED + " " + path + " " + reply.fields();
    switch (kind) {
      case LENGTH, CHUNKED, INTERIM, PIECES, VARYING, VALIDATED, UNTIL_CLOSE, UNSTORED -> {
        assertEquals(200, reply.status(), what);
        assertTrue(reply.whole(), what);
        assertArrayEquals(content, reply.body(), what);
      }
      case BODILESS -> assertEquals(204, reply.status(), what);
      case TOO_LONG -> {
        assertEquals(200, reply.status(), what);
        assertArrayEquals(Arrays.copyOf(content, content.length / 2), reply.body(), what);
      }
      case TOO_SHORT, RESET, CHUNKS_CUT, BAD_CHUNK -> {
        if (reply.status() != 502) {
          assertEquals(200, reply.status(), what);
          assertFalse(reply.whole(), what);
          int come = reply.body().length;
          assertTrue(come <= content.length, what);
          assertArrayEquals(Arrays.copyOf(content, come), reply.body(), what);
        }
      }
      case GARBAGE, HUGE_HEADER, TWO_LENGTHS, BOTH, NOTHING, REFUSED ->
          assertEquals(502, reply.status(), what);
    }
    assertTrue(kind.storable || !reply.isHit(), what);
  }

  private static void nothingWrongIsKept(ProxyServer proxy, WildOrigin origin) throws IOException {
    try (HttpClient client = new HttpClient(proxy.address())) {
      for (Kind kind : Kind.values()) {
        for (int i = 0; i < NAMES; i++) {
          String path = "/" + kind + "/" + i;
          HttpClient.Reply reply =
              client.get(
                  "http://" + origin.authority() + path,
                  "X-Variant: 1",
                  "Cache-Control: only-if-cached, max-stale");
          if (reply.status() != 504) {
            assertTrue(kind.storable, path);
            assertArrayEquals(content(path, kind == Kind.VARYING ? "1" : ""), reply.body(), path);
          }
        }
      }
    }
  }
}
