package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who is served, and who is not. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WebServerTest {
  private static final Settings FIRST = Settings.first(2);
  private static final String HOST = "Host: localhost:7070\r\n";
  private static final String JSON = "Content-Type: application/json\r\n";
  private static final String SETTINGS =
      "{\"busy\":50,\"uneven\":0,\"work\":100,\"cores\":1,\"block\":0,\"streams\":0,"
          + "\"paused\":true}";

  private final Board board = new Board(2, FIRST);
  private final WebServer server = start(board);
  private final int port = server.port();

  private static WebServer start(Board board) {
    try {
      return new WebServer(0, board);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @AfterEach
  void close() {
    server.close();
  }

  private void assertStatus(int status, String request) throws IOException {
    String answer = RawHttp.exchange(port, request);
    assertTrue(answer.startsWith("HTTP/1.1 " + status + " "), request + "\n" + answer);
  }

  @Test
  void thePageAndItsFilesAreServed() throws Exception {
    String page = RawHttp.exchange(port, "GET / HTTP/1.1\r\n" + HOST + "\r\n");
    assertTrue(page.startsWith("HTTP/1.1 200 "), page);
    assertTrue(page.contains("text/html; charset=utf-8"), page);
    assertTrue(page.contains("content-security-policy: default-src 'none'"), page);
    assertStatus(200, "GET /index.html?x HTTP/1.1\r\n" + HOST + "\r\n");
    assertStatus(200, "GET /monitor/cores.js HTTP/1.1\r\n" + HOST + "\r\n");
  }

  @Test
  void noOtherFilesAre() throws Exception {
    for (String path :
        List.of(
            "/Demo.class",
            "/../demo/index.html",
            "/%2e%2e/x.js",
            "//index.html",
            "/x.js",
            "/etc/passwd",
            "/index.html/",
            "/settings/",
            "*",
            "http://localhost/")) {
      assertStatus(404, "GET " + path + " HTTP/1.1\r\n" + HOST + "\r\n");
    }
  }

  @Test
  void settingsAreTaken() throws Exception {
    assertStatus(204, RawHttp.post(HOST + JSON, SETTINGS));
    assertEquals(new Settings(50, 0, 100, 1, 0, 0, true), board.settings());
    String own = HOST + "Origin: http://localhost:7070\r\n";
    assertStatus(
        204, RawHttp.post(own + "Content-Type: application/json; charset=utf-8\r\n", SETTINGS));
  }

  @Test
  void wrongSettingsAreNamed() throws Exception {
    String answer =
        RawHttp.exchange(port, RawHttp.post(HOST + JSON, SETTINGS.replace("50", "500")));
    assertTrue(answer.startsWith("HTTP/1.1 400 "), answer);
    assertTrue(answer.endsWith("busy must be a whole number from 0 to 100, but is 500\n"), answer);
    assertEquals(FIRST, board.settings());
  }

  /** They could not read the answers, but keep the load going. A link to the page is no harm. */
  @Test
  void pagesOfOtherSitesAreRefused() throws Exception {
    for (String site : List.of("cross-site", "same-site")) {
      String headers = HOST + "Sec-Fetch-Site: " + site + "\r\n";
      assertStatus(403, RawHttp.post(headers + JSON, SETTINGS));
      assertStatus(403, "GET /events HTTP/1.1\r\n" + headers + "\r\n");
      assertStatus(200, "GET / HTTP/1.1\r\n" + headers + "\r\n");
    }
    assertEquals(FIRST, board.settings());
    assertEquals(0, board.pages());
    assertStatus(204, RawHttp.post(HOST + "Sec-Fetch-Site: same-origin\r\n" + JSON, SETTINGS));
  }

  @Test
  void otherSitesAreRefused() throws Exception {
    for (String headers :
        List.of(
            "Host: evil.example\r\n",
            "Host: localhost.evil.example\r\n",
            "Host: 127.0.0.1.evil.example\r\n",
            "Host: \r\n",
            "",
            HOST + HOST,
            HOST + "Origin: http://evil.example\r\n",
            HOST + "Origin: http://localhost:8080\r\n",
            HOST + "Origin: https://localhost:7070\r\n",
            HOST + "Origin: null\r\n",
            HOST + "Origin: http://localhost:7070\r\nOrigin: http://evil.example\r\n")) {
      assertStatus(403, RawHttp.post(headers + JSON, SETTINGS));
      assertStatus(403, "GET / HTTP/1.1\r\n" + headers + "\r\n");
      assertStatus(403, "GET /events HTTP/1.1\r\n" + headers + "\r\n");
    }
    assertEquals(FIRST, board.settings());
  }

  /** Without a preflight, which is not answered, a form of another site has one of these. */
  @Test
  void otherTypesAreRefused() throws Exception {
    for (String type :
        List.of(
            "",
            "Content-Type: text/plain\r\n",
            "Content-Type: application/x-www-form-urlencoded\r\n",
            "Content-Type: application/jsonx\r\n")) {
      assertStatus(415, RawHttp.post(HOST + type, SETTINGS));
    }
    assertStatus(405, "OPTIONS /settings HTTP/1.1\r\n" + HOST + "\r\n");
    assertStatus(405, "GET /settings HTTP/1.1\r\n" + HOST + "\r\n");
    assertStatus(405, "DELETE / HTTP/1.1\r\n" + HOST + "\r\n");
    assertEquals(FIRST, board.settings());
  }

  @Test
  void hugeAndBrokenRequestsAreRefused() throws Exception {
    assertStatus(413, RawHttp.post(HOST + JSON, " ".repeat(WebServer.MOST_BODY) + SETTINGS));
    assertStatus(
        413, "POST /settings HTTP/1.1\r\n" + HOST + JSON + "Content-Length: 99999999999\r\n\r\n");
    assertStatus(400, "GET /" + "x".repeat(5_000) + " HTTP/1.1\r\n" + HOST + "\r\n");
    assertStatus(400, "GET / HTTP/1.1\r\n" + HOST + "X: " + "x".repeat(9_000) + "\r\n\r\n");
    assertStatus(400, "nonsense\r\n\r\n");
    assertEquals(FIRST, board.settings());
  }

  @Test
  void aPageIsToldAtOnceAndOfWhatIsSet() throws Exception {
    try (Socket socket = RawHttp.send(port, "GET /events HTTP/1.1\r\n" + HOST + "\r\n");
        BufferedReader events =
            new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
      assertTrue(event(events).contains("\"busy\":25"));
      assertStatus(204, RawHttp.post(HOST + JSON, SETTINGS));
      assertTrue(event(events).contains("\"busy\":50"));
    }
  }

  private static String event(BufferedReader events) throws IOException {
    String line;
    while ((line = events.readLine()) != null) {
      if (line.startsWith("data: ")) {
        return line;
      }
    }
    throw new AssertionError("the stream has ended");
  }

  /** What is sent behind a request is dropped: pages that have gone leave no trace. */
  @Test
  void aConnectionHasOneRequest() throws Exception {
    String events = "GET /events HTTP/1.1\r\n" + HOST + "\r\n";
    try (Socket page = RawHttp.send(port, events + RawHttp.post(HOST + JSON, SETTINGS) + events)) {
      assertTrue(page.getInputStream().read() >= 0);
      assertEquals(FIRST, board.settings());
      assertEquals(1, board.pages());
    }
    Awaitility.await().atMost(1, TimeUnit.MINUTES).until(() -> board.pages() == 0);
  }

  /** Pages that are open do not keep others from setting something. */
  @Test
  void pagesAreBounded() throws Exception {
    List<Socket> pages = new ArrayList<>();
    try {
      for (int i = 0; i < Board.MOST_PAGES; i++) {
        Socket page = RawHttp.send(port, "GET /events HTTP/1.1\r\n" + HOST + "\r\n");
        pages.add(page);
        assertTrue(page.getInputStream().read() >= 0);
      }
      assertStatus(503, "GET /events HTTP/1.1\r\n" + HOST + "\r\n");
      assertStatus(204, RawHttp.post(HOST + JSON, SETTINGS));
    } finally {
      for (Socket page : pages) {
        page.close();
      }
    }
  }

  /** Whoever comes when so many are there is sent away, and whoever sends nothing, later. */
  @Test
  void connectionsAreBounded() throws Exception {
    List<Socket> idle = new ArrayList<>();
    try {
      for (int i = 0; i < WebServer.MOST_CONNECTIONS; i++) {
        idle.add(RawHttp.send(port, "GET / HTTP/1.1\r\n"));
      }
      try (Socket more = RawHttp.send(port, "")) {
        assertEquals(-1, more.getInputStream().read());
      }
      for (Socket socket : idle) {
        assertEquals(-1, socket.getInputStream().read());
      }
      assertStatus(200, "GET / HTTP/1.1\r\n" + HOST + "\r\n");
    } finally {
      for (Socket socket : idle) {
        socket.close();
      }
    }
  }
}
