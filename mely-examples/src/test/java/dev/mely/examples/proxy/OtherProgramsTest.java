package dev.mely.examples.proxy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.examples.Programs;
import dev.mely.examples.sws.Coloring;
import dev.mely.examples.sws.SwsConfig;
import dev.mely.examples.sws.SwsCoreServer;
import dev.mely.examples.sws.SwsServer;
import dev.mely.examples.sws.WebServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients and origins that were not written for this proxy: curl, Python, openssl, and sws. */
@Timeout(300)
class OtherProgramsTest {
  private static final Path PYTHON = Path.of("src", "test", "python", "proxy_client.py");
  private static final Pattern ACCEPTS = Pattern.compile("ACCEPT 127\\.0\\.0\\.1:(\\d+)\\s");
  private static final int FILES = 24;

  @TempDir private Path folder;

  private Path root;

  private void fill() throws IOException {
    root = Files.createDirectories(folder.resolve("root"));
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < FILES; i++) {
      byte[] content = new byte[i * i * 800]; // 0 to 423,200
      random.nextBytes(content);
      Files.write(root.resolve("f" + i), content);
    }
  }

  private WebServer sws(String build) throws IOException {
    SwsConfig config = new SwsConfig(root).port(0).cores(1);
    return build.equals("sws")
        ? SwsServer.start(config)
        : SwsCoreServer.start(config, Coloring.MELY);
  }

  /** Twice the same from both builds of the web server; the second time, the cache has a part. */
  @ParameterizedTest
  @ValueSource(strings = {"sws", "sws-core"})
  void filesOfSws(String build) throws Exception {
    fill();
    try (WebServer origin = sws(build);
        ProxyServer proxy = ProxyServer.start(Proxies.patient());
        HttpClient client = new HttpClient(proxy.address())) {
      String url = "http://127.0.0.1:" + origin.address().getPort() + "/f";
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < FILES; i++) {
          byte[] content = Files.readAllBytes(root.resolve("f" + i));
          HttpClient.Reply reply = client.get(url + i);
          assertEquals(200, reply.status());
          assertArrayEquals(content, reply.body());
          HttpClient.Reply none = client.get(url + i, "If-None-Match: " + reply.field("etag"));
          assertEquals(304, none.status());
          HttpClient.Reply head = client.ask("HEAD", url + i);
          assertEquals("" + content.length, head.field("content-length"));
        }
      }
      HttpClient.Reply part = client.get(url + 7, "Range: bytes=100-199");
      assertEquals(206, part.status());
      assertEquals(100, part.body().length);
      assertEquals(404, client.get(url).status());
    }
  }

  @Test
  void curl() throws Exception {
    assumeTrue(Programs.run("curl", "--version"), "curl is not installed");
    fill();
    try (WebServer origin = sws("sws-core");
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(origin.address().getPort()))) {
      String via = "http://127.0.0.1:" + proxy.address().getPort();
      String url = "http://127.0.0.1:" + origin.address().getPort() + "/";
      for (String mode : List.of("--http1.1", "--http1.0", "--proxytunnel")) {
        Path out = folder.resolve("out" + mode);
        Programs.output(
            "curl", "-sS", "-x", via, mode, "--fail", url + "f[1-23]", "-o", out + "#1");
        for (int i = 1; i < FILES; i++) {
          assertArrayEquals(
              Files.readAllBytes(root.resolve("f" + i)), Files.readAllBytes(Path.of(out + "" + i)));
        }
      }
      String head = Programs.output("curl", "-sS", "-x", via, "-I", url + "f5");
      assertTrue(head.contains("Via: 1.1 " + proxy.name), head);
      String status = "%{http_code}";
      assertEquals(
          "501",
          Programs.output(
              "curl", "-sS", "-x", via, "-d", "a=b", "-o", folder + "/o", "-w", status, url));
      assertEquals(
          "502",
          Programs.output(
              "curl", "-sS", "-x", via, "-o", folder + "/o", "-w", status, "http://no.invalid/"));
      assertEquals(
          "403",
          Programs.output(
              "sh",
              "-c",
              "curl -sS -x "
                  + via
                  + " -w '%{http_connect}' -p http://127.0.0.1:1/ 2>/dev/null; true"));
    }
  }

  /** TLS through a tunnel: any modified byte would break it. */
  @Test
  void curlThroughATunnelWithTls() throws Exception {
    assumeTrue(Programs.run("curl", "--version"), "curl is not installed");
    assumeTrue(Programs.run("openssl", "version"), "openssl is not installed");
    fill();
    Path key = folder.resolve("key.pem");
    Path certificate = folder.resolve("cert.pem");
    Programs.output(
        "openssl",
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=localhost",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        key.toString(),
        "-out",
        certificate.toString());
    Path said = folder.resolve("openssl.out");
    Process server =
        new ProcessBuilder(
                "openssl",
                "s_server",
                "-accept",
                "127.0.0.1:0",
                "-cert",
                certificate.toString(),
                "-key",
                key.toString(),
                "-WWW")
            .directory(root.toFile())
            .redirectErrorStream(true)
            .redirectOutput(said.toFile())
            .start();
    try (ProxyServer proxy = ProxyServer.start(Proxies.tunneling(port(said)))) {
      Path out = folder.resolve("out");
      Programs.output(
          "curl",
          "-sS",
          "--fail",
          "-x",
          "http://127.0.0.1:" + proxy.address().getPort(),
          "--http1.0",
          "--cacert",
          certificate.toString(),
          "https://127.0.0.1:" + port(said) + "/f23",
          "-o",
          out.toString());
      assertArrayEquals(Files.readAllBytes(root.resolve("f23")), Files.readAllBytes(out));
    } finally {
      server.destroy();
      server.waitFor();
    }
  }

  /** The one that openssl has chosen, and says when it listens there. */
  private static int port(Path said) {
    AtomicInteger port = new AtomicInteger();
    Proxies.patiently()
        .until(
            () -> {
              Matcher line = ACCEPTS.matcher(Files.readString(said));
              port.set(line.find() ? Integer.parseInt(line.group(1)) : 0);
              return port.get() > 0;
            });
    return port.get();
  }

  @Test
  void python() throws Exception {
    assumeTrue(Programs.run("python3", "--version"), "python3 is not installed");
    fill();
    try (WebServer origin = sws("sws-core");
        ProxyServer proxy = ProxyServer.start(Proxies.tunneling(origin.address().getPort()))) {
      Process process =
          new ProcessBuilder(
                  "python3",
                  PYTHON.toString(),
                  "" + proxy.address().getPort(),
                  "" + origin.address().getPort(),
                  root.toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes());
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals("fine", said.strip());
    }
  }

  /** The JDK's own client, which keeps its connections. */
  @Test
  void java() throws Exception {
    fill();
    try (WebServer origin = sws("sws");
        ProxyServer proxy = ProxyServer.start(Proxies.patient())) {
      java.net.http.HttpClient client =
          java.net.http.HttpClient.newBuilder()
              .version(java.net.http.HttpClient.Version.HTTP_1_1)
              .proxy(java.net.ProxySelector.of(proxy.address()))
              .build();
      for (int i = 0; i < FILES; i++) {
        URI uri = URI.create("http://127.0.0.1:" + origin.address().getPort() + "/f" + i);
        assertArrayEquals(
            Files.readAllBytes(root.resolve("f" + i)),
            client
                .send(
                    java.net.http.HttpRequest.newBuilder(uri).build(),
                    java.net.http.HttpResponse.BodyHandlers.ofByteArray())
                .body());
      }
    }
  }
}
