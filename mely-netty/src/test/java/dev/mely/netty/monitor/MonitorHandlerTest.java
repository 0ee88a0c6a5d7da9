package dev.mely.netty.monitor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On a connection that has other requests, too. */
class MonitorHandlerTest {
  private static final String TOKEN = "0123456789abcdef";
  private static final String PAGE = "/admin/mely";
  private static final String WITH = "?token=" + TOKEN;

  private final Sampler sampler = new Sampler();

  private final EmbeddedChannel channel =
      new EmbeddedChannel(new MonitorHandler(sampler, Access.by(TOKEN), PAGE, true));

  @AfterEach
  void close() {
    sampler.close();
    channel.finishAndReleaseAll();
  }

  private static HttpRequest request(HttpMethod method, String uri) {
    return new DefaultHttpRequest(HttpVersion.HTTP_1_1, method, uri);
  }

  private FullHttpResponse get(String uri) {
    return ask(HttpMethod.GET, uri);
  }

  private FullHttpResponse ask(HttpMethod method, String uri) {
    channel.writeInbound(request(method, uri), LastHttpContent.EMPTY_LAST_CONTENT);
    assertNull(channel.readInbound(), "it was not passed on");
    FullHttpResponse response = channel.readOutbound();
    assertEquals(response.content().readableBytes(), length(response));
    response.release();
    return response;
  }

  private static int length(HttpResponse response) {
    return response.headers().getInt("content-length");
  }

  @Test
  void otherRequestsPass() {
    for (String uri : new String[] {"/", "/admin", "/admin/melyx", "/admin/mel", "/x/admin/mely"}) {
      HttpRequest request = request(HttpMethod.POST, uri);
      ByteBuf body = Unpooled.copiedBuffer("body", StandardCharsets.US_ASCII);
      HttpContent content = new DefaultHttpContent(body);
      channel.writeInbound(request, content, LastHttpContent.EMPTY_LAST_CONTENT);
      assertSame(request, channel.readInbound());
      assertSame(content, channel.readInbound());
      assertSame(LastHttpContent.EMPTY_LAST_CONTENT, channel.readInbound());
      assertNull(channel.readOutbound());
      assertEquals(1, body.refCnt());
      body.release();
    }
  }

  @Test
  void theNextRequestPassesToo() {
    assertEquals(200, get(PAGE + WITH).status().code());
    assertTrue(channel.isOpen(), "the connection is kept");
    HttpRequest other = request(HttpMethod.GET, "/");
    channel.writeInbound(other, LastHttpContent.EMPTY_LAST_CONTENT);
    assertSame(other, channel.readInbound());
    assertSame(LastHttpContent.EMPTY_LAST_CONTENT, channel.readInbound());
    channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT); // the end of its answer
    channel.releaseOutbound();
    assertEquals(200, get(PAGE + WITH).status().code());
  }

  @Test
  void bodiesAreDropped() {
    ByteBuf first = Unpooled.copiedBuffer("first", StandardCharsets.US_ASCII);
    ByteBuf second = Unpooled.copiedBuffer("second", StandardCharsets.US_ASCII);
    channel.writeInbound(
        request(HttpMethod.POST, PAGE + WITH),
        new DefaultHttpContent(first),
        new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, PAGE, second));
    assertNull(channel.readInbound());
    assertEquals(0, first.refCnt());
    assertEquals(0, second.refCnt());
  }

  @ParameterizedTest
  @CsvSource({
    "/admin/mely, mely/monitor.css",
    "/admin/mely/, monitor.css",
  })
  void thePageFindsItsFiles(String uri, String link) {
    channel.writeInbound(request(HttpMethod.GET, uri + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    FullHttpResponse page = channel.readOutbound();
    String html = page.content().toString(StandardCharsets.UTF_8);
    assertTrue(html.contains("href=\"" + link + "\""), html);
    assertFalse(html.contains("{base}"), html);
    page.release();
    // From where the page is, that is:
    assertEquals(200, get(PAGE + "/monitor.css").status().code());
    assertEquals(
        "text/css; charset=utf-8", get(PAGE + "/monitor.css").headers().get("content-type"));
    assertEquals(
        "text/javascript; charset=utf-8", get(PAGE + "/cores.js").headers().get("content-type"));
  }

  /** They are the same for everybody; what is told of the server is not. */
  @ParameterizedTest
  @CsvSource({"'', 403", "/, 403", "/events, 403", "/state.json, 403", "/x, 403", "/cores.js, 200"})
  void withoutTheTokenNothingIsTold(String file, int status) {
    assertEquals(status, get(PAGE + file).status().code());
    assertEquals(status, get(PAGE + file + "?token=0123456789abcdeX").status().code());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/x",
        "/index.html",
        "/../monitor/index.html",
        "/%2e%2e/monitor.css",
        "/MelyMonitor.class",
        "//etc/passwd",
        "/monitor.css/",
        "/events/",
        "/state.json/x"
      })
  void thereIsNoOtherFile(String file) {
    assertEquals(404, get(PAGE + file + WITH).status().code());
  }

  @ParameterizedTest
  @ValueSource(strings = {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO"})
  void nothingCanBeWritten(String method) {
    for (String file : new String[] {"", "/events", "/state.json", "/monitor.js"}) {
      FullHttpResponse response = ask(HttpMethod.valueOf(method), PAGE + file + WITH);
      assertEquals(405, response.status().code());
      assertEquals("GET, HEAD", response.headers().get("allow"));
    }
    assertFalse(SamplerTest.isAlive());
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/events", "/state.json", "/cores.js"})
  void headIsAnswered(String file) {
    EmbeddedChannel connection =
        new EmbeddedChannel(
            new HttpServerCodec(), new MonitorHandler(sampler, Access.by(TOKEN), PAGE, true));
    for (int i = 0; i < 2; i++) {
      String request = "HEAD " + PAGE + file + WITH + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
      connection.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
      String answer = text(connection);
      assertTrue(answer.startsWith("HTTP/1.1 200 OK\r\n"), answer);
      assertTrue(answer.endsWith("\r\n\r\n"), answer);
    }
    assertFalse(SamplerTest.isAlive());
    connection.finishAndReleaseAll();
  }

  private static String text(EmbeddedChannel connection) {
    StringBuilder text = new StringBuilder();
    for (ByteBuf out = connection.readOutbound(); out != null; out = connection.readOutbound()) {
      text.append(out.toString(StandardCharsets.US_ASCII));
      out.release();
    }
    return text.toString();
  }

  /** Its answer would be taken for that to the request before it. */
  @Test
  void whoDoesNotWaitForAnswersLosesTheConnection() {
    channel.writeInbound(request(HttpMethod.GET, "/slow"), LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/cores.js"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertFalse(channel.isOpen());
  }

  @Test
  void whoWaitsForAnswersDoesNot() {
    channel.writeInbound(request(HttpMethod.GET, "/slow"), LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
        LastHttpContent.EMPTY_LAST_CONTENT);
    channel.releaseOutbound();
    channel.releaseInbound();
    assertEquals(200, get(PAGE + "/cores.js").status().code());
  }

  /** Or its answers would fill the memory. */
  @Test
  void whoDoesNotReadIsNotAnswered() {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, false);
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/cores.js"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertFalse(channel.isOpen());
  }

  @Test
  void anotherRequestEndsAStream() {
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    assertTrue(channel.isOpen());
    channel.writeInbound(request(HttpMethod.GET, "/"), LastHttpContent.EMPTY_LAST_CONTENT);
    assertNull(channel.readInbound(), "it is not passed on");
    assertFalse(channel.isOpen());
    SamplerTest.awaitEnd();
  }

  /** The page's tab would go on as if it were live. */
  @Test
  void theMonitorsEndEndsStreams() {
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    sampler.close();
    assertFalse(channel.isOpen());
  }

  @ParameterizedTest
  @ValueSource(strings = {"/events", "/state.json"})
  void aWrongTokenIsNoError(String file) {
    assertEquals(403, get(PAGE + file + "?token=%zz").status().code());
  }

  /** What a browser must not do with the page: load from elsewhere, be framed, tell the token. */
  @Test
  void everyAnswerKeepsBrowsersSafe() {
    for (String uri : new String[] {PAGE, PAGE + WITH, PAGE + "/cores.js", PAGE + "/x" + WITH}) {
      FullHttpResponse response = get(uri);
      String policy = response.headers().get("content-security-policy");
      assertTrue(policy.startsWith("default-src 'none'; script-src 'self'; "), policy);
      assertTrue(policy.contains("frame-ancestors 'none'"), policy);
      assertEquals("nosniff", response.headers().get("x-content-type-options"));
      assertEquals("no-referrer", response.headers().get("referrer-policy"));
      assertEquals("no-store", response.headers().get("cache-control"));
      assertNull(response.headers().get("access-control-allow-origin"));
    }
  }

  @Test
  void aStreamTakesTheConnection() {
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    HttpResponse head = channel.readOutbound();
    assertEquals(200, head.status().code());
    assertEquals("text/event-stream", head.headers().get("content-type"));
    assertEquals("identity", head.headers().get("content-encoding"), "no compressor keeps it back");
    HttpContent first = channel.readOutbound();
    assertEquals("retry: 2000\n\n", first.content().toString(StandardCharsets.US_ASCII));
    first.release();
    assertTrue(SamplerTest.isAlive());
    channel.close();
    SamplerTest.awaitEnd();
  }

  @Test
  void anOldClientGetsNoStream() {
    channel.writeInbound(
        new DefaultFullHttpRequest(
            HttpVersion.HTTP_1_0, HttpMethod.GET, PAGE + "/events" + WITH, Unpooled.EMPTY_BUFFER));
    FullHttpResponse response = channel.readOutbound();
    assertEquals(505, response.status().code());
    response.release();
    assertFalse(SamplerTest.isAlive());
  }

  @Test
  void theStreamEndsWithItsHandler() {
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    assertTrue(SamplerTest.isAlive());
    channel.pipeline().removeFirst();
    SamplerTest.awaitEnd();
  }

  @Test
  void noMoreThanEightReaders() {
    EmbeddedChannel[] open = new EmbeddedChannel[Sampler.MOST_LISTENERS];
    for (int i = 0; i < open.length; i++) {
      open[i] = new EmbeddedChannel(new MonitorHandler(sampler, Access.by(TOKEN), PAGE, true));
      open[i].writeInbound(
          request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    }
    assertEquals(503, get(PAGE + "/events" + WITH).status().code());
    assertEquals(503, get(PAGE + "/state.json" + WITH).status().code());
    open[3].finishAndReleaseAll();
    channel.writeInbound(
        request(HttpMethod.GET, PAGE + "/events" + WITH), LastHttpContent.EMPTY_LAST_CONTENT);
    HttpResponse head = channel.readOutbound();
    assertEquals(200, head.status().code());
    for (EmbeddedChannel each : open) {
      each.finishAndReleaseAll();
    }
    channel.finishAndReleaseAll();
    SamplerTest.awaitEnd();
  }
}
