package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.stingy.StageJson;
import dev.mely.stage.Plan;
import dev.mely.stage.StageGraph;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A recorded web server can be planned for, without a word of its user's, and runs by the plan. */
@Timeout(300)
class SwsStagesTest {
  private static final String TEXT = "0123456789".repeat(100);

  @TempDir private Path root;
  @TempDir private Path other;

  @BeforeEach
  void write() throws IOException {
    Files.writeString(root.resolve("a.txt"), TEXT);
  }

  private SwsConfig config() {
    return new SwsConfig(root).port(0).cores(1);
  }

  private static Plan planned(int responses) {
    return new Plan(
        Map.of("response", new Plan.Instances(responses, 2048, Set.of("WriteResponse"))));
  }

  private StageGraph recorded(WebServer server) throws Exception {
    try (server) {
      HttpClient client = HttpClient.newHttpClient();
      for (int i = 0; i < 5; i++) {
        HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "a.txt")).build();
        HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
        assertEquals(TEXT, response.body());
      }
    }
    return server.stages();
  }

  private Plan plan(StageGraph graph) throws IOException {
    Path file = other.resolve("graph.json");
    StageJson.write(file, graph);
    Path plan = other.resolve("plan.json");
    CommandLine line = CommandLineAccess.commandLine();
    StringWriter out = new StringWriter();
    line.setOut(new PrintWriter(out));
    int code =
        line.execute("stingy", "plan", file.toString(), "--working-set=64KiB", "--out=" + plan);
    assertEquals(0, code, out::toString);
    return StageJson.plan(plan);
  }

  @Test
  void theBuildOnNetty() throws Exception {
    Plan plan = plan(recorded(SwsServer.start(config(), true)));
    assertTrue(
        plan.objects().keySet().stream().anyMatch(name -> name.startsWith("buffer-")),
        plan::toString);
  }

  @Test
  void theBuildOnNettyWithABound() throws Exception {
    Plan plan = plan(recorded(SwsServer.start(config().workingSet(1 << 20), true)));
    assertTrue(
        plan.objects().keySet().stream().anyMatch(name -> name.startsWith("buffer-")),
        plan::toString);
  }

  @Test
  void theBuildWithoutNetty() throws Exception {
    Plan plan =
        plan(
            recorded(
                SwsCoreServer.start(
                    config(), Coloring.MELY, Mely.builder().recordStages(true).plan(planned(8)))));
    Plan.Instances response = plan.objects().get("response");
    assertTrue(response.bytes() > TEXT.length(), plan::toString);
    assertTrue(response.count() > 1, plan::toString);
    assertTrue(plan.objects().containsKey("request"), plan::toString);
    recorded(
        SwsCoreServer.start(config(), Coloring.MELY, Mely.builder().recordStages(true).plan(plan)));
  }

  /** More answers than the pool has: none is lost, mixed up, or made in memory still in use. */
  @Test
  void whatHasNoRoomInThePoolIsMadeBesideIt() throws Exception {
    for (int i = 0; i < 50; i++) {
      Files.writeString(root.resolve(i + ".txt"), i + " " + "x".repeat(i));
    }
    try (WebServer server =
            SwsCoreServer.start(config(), Coloring.MELY, Mely.builder().plan(planned(3)));
        Socket client = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      client.setSoTimeout(120_000);
      OutputStream out = client.getOutputStream();
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        String more = i < 49 ? "" : "Connection: close\r\n";
        requests.append("GET /" + i + ".txt HTTP/1.1\r\nHost: a\r\n" + more + "\r\n");
      }
      out.write(requests.toString().getBytes(StandardCharsets.US_ASCII));
      String all = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      int at = 0;
      for (int i = 0; i < 50; i++) {
        String body = "\r\n\r\n" + i + " " + "x".repeat(i);
        at = all.indexOf(body, at);
        assertTrue(at >= 0, "answer " + i);
        at += body.length();
      }
      assertEquals(all.length(), at);
    }
  }

  @Test
  void aPlanThatIsNone() throws IOException {
    Path bad = Files.writeString(other.resolve("bad.json"), "[]");
    for (Path file : List.of(bad, other.resolve("none.json"))) {
      CommandLine line = CommandLineAccess.commandLine();
      StringWriter err = new StringWriter();
      line.setErr(new PrintWriter(err));
      assertEquals(2, line.execute("sws-core", "--root=" + root, "--port=0", "--plan=" + file));
      assertTrue(err.toString().contains("plan"), err::toString);
      assertTrue(err.toString().contains(file.toString()), err::toString);
    }
  }
}
