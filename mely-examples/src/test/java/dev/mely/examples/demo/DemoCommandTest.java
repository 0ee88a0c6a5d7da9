package dev.mely.examples.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What a user sees of the demo, with its processes. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DemoCommandTest {
  /** Both servers, and the load. */
  private static final int CHILDREN = 3;

  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    CommandLine commandLine = CommandLineAccess.commandLine();
    commandLine.setOut(new PrintWriter(new StringWriter())).setErr(new PrintWriter(err));
    return commandLine.execute(arguments);
  }

  @Test
  void wrongOptionsAreNamed() {
    for (String wrong : List.of("--port=-1", "--port=65536", "--cores=0", "--cores=100000")) {
      assertEquals(2, run("demo", wrong), wrong);
      assertTrue(err.toString().contains(wrong.replace("=", " must be ").split(" ")[0]), wrong);
      assertTrue(err.toString().contains(wrong.substring(wrong.indexOf('=') + 1)), wrong);
      err.getBuffer().setLength(0);
    }
  }

  @Test
  void aPortInUseIsNamed() throws Exception {
    try (ServerSocket used = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertEquals(1, run("demo", "--port=" + used.getLocalPort()));
      assertTrue(
          err.toString().startsWith("demo: cannot listen at port " + used.getLocalPort() + ": "),
          err::toString);
      assertEquals(1, err.toString().lines().count(), err::toString);
    }
  }

  /** From a page that opens to one that sets something, beyond a process that ends. */
  @Test
  void bothSidesAreMeasured() throws Exception {
    try (Started demo = new Started()) {
      JsonObject first = demo.await(DemoCommandTest::hasFigures);
      assertTrue(isSet(first, "busy", 25), first::toString);
      List<ProcessHandle> children = demo.children();
      assertEquals(CHILDREN, children.size());

      demo.set(
          "{\"busy\":50,\"uneven\":0,\"work\":100,\"cores\":1,\"block\":2,\"streams\":0,"
              + "\"paused\":false}");
      demo.await(message -> hasFigures(message) && isSet(message, "block", 2));
      if (!isSet(first, "cores", 1)) {
        awaitEnd(children);
      }
      demo.children().get(0).destroyForcibly();
      demo.set(
          "{\"busy\":50,\"uneven\":0,\"work\":100,\"cores\":1,\"block\":0,\"streams\":5,"
              + "\"paused\":false}");
      demo.await(message -> hasFigures(message) && isSet(message, "streams", 5));
    }
  }

  private static boolean isSet(JsonObject message, String name, int value) {
    return message.getAsJsonObject("settings").get(name).getAsInt() == value;
  }

  private static boolean hasFigures(JsonObject message) {
    for (JsonElement side : message.getAsJsonArray("sides")) {
      JsonObject figures = side.getAsJsonObject();
      if (figures.get("perSecond").isJsonNull()
          || figures.get("group").isJsonNull()
          || figures.getAsJsonObject("minute").get("p99Millis").isJsonNull()) {
        return false;
      }
    }
    return !message.getAsJsonObject("ratio").get("perSecond").isJsonNull();
  }

  @Test
  void nothingIsLeftOfAProcessThatIsKilled() throws Exception {
    try (Started demo = new Started()) {
      Awaitility.await()
          .atMost(1, TimeUnit.MINUTES)
          .until(() -> demo.children().size() == CHILDREN);
      List<ProcessHandle> children = demo.children();
      demo.kill();
      awaitEnd(children);
    }
  }

  private static void awaitEnd(List<ProcessHandle> processes) {
    Awaitility.await()
        .atMost(1, TimeUnit.MINUTES)
        .until(() -> processes.stream().noneMatch(ProcessHandle::isAlive));
  }

  /** The command in a process of its own, with a page open. Ends it, and waits for its children. */
  private static final class Started implements AutoCloseable {
    private final Process process;
    private final int port;
    private final Socket page;
    private final BufferedReader events;

    Started() throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Main.class.getName(),
                  "demo",
                  "--port=0")
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String said = process.inputReader(StandardCharsets.UTF_8).readLine();
      assertTrue(said.matches("mely demo: http://localhost:\\d+/"), said);
      port = Integer.parseInt(said.replaceAll(".*:(\\d+)/", "$1"));
      page = RawHttp.send(port, "GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      events =
          new BufferedReader(new InputStreamReader(page.getInputStream(), StandardCharsets.UTF_8));
    }

    JsonObject await(Predicate<JsonObject> which) throws IOException {
      String line;
      while ((line = events.readLine()) != null) {
        if (line.startsWith("data: ")) {
          JsonObject message = JsonParser.parseString(line.substring(6)).getAsJsonObject();
          if (which.test(message)) {
            return message;
          }
        }
      }
      throw new AssertionError("the events have ended");
    }

    void set(String json) throws IOException {
      String answer =
          RawHttp.exchange(
              port, RawHttp.post("Host: localhost\r\nContent-Type: application/json\r\n", json));
      assertTrue(answer.startsWith("HTTP/1.1 204 "), answer);
    }

    List<ProcessHandle> children() {
      return process.children().toList();
    }

    void kill() {
      process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
      List<ProcessHandle> children = children();
      process.destroy();
      awaitEnd(List.of(process.toHandle()));
      awaitEnd(children);
      page.close();
    }
  }
}
