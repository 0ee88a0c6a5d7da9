package dev.mely.examples.proxy;

import static dev.mely.examples.proxy.Proxies.patiently;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The command as a process: first line, shortage of descriptors, and a clean end. */
@Timeout(300)
class ProxyProcessTest {
  private static final int DESCRIPTORS = 120;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "has no signal that runs shutdown hooks")
  void servesRunsOutOfDescriptorsAndStops() throws Exception {
    Process process = start();
    List<HttpClient> crowd = new ArrayList<>();
    try (BufferedReader said = process.inputReader();
        WildOrigin origin = WildOrigin.saying("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfine")) {
      String first = said.readLine();
      assertTrue(
          first.matches(
              "proxy: listening at 127\\.0\\.0\\.1:\\d+ on dev\\.mely\\.nio, 2 cores, policy all,"
                  + " cache of 8\\.0 MiB, CONNECT to \\[443, 8443], at most 10,000 clients"),
          first);
      int port = Integer.parseInt(first.replaceFirst(".* at 127\\.0\\.0\\.1:(\\d+) .*", "$1"));
      InetSocketAddress address = new InetSocketAddress("127.0.0.1", port);
      String url = "http://" + origin.authority() + "/";
      try (HttpClient client = new HttpClient(address)) {
        assertEquals("fine", client.get(url).text());
        assertEquals(502, client.get("http://no.such.host.invalid/").status());
      }
      for (int i = 0; i < DESCRIPTORS; i++) {
        crowd.add(new HttpClient(address));
      }
      patiently().until(() -> Files.readString(folder.resolve("err")).contains("open files"));
      assertEquals(503, crowd.get(0).get(url).status(), "there is none for an origin either");
      for (HttpClient client : crowd) {
        client.reset();
      }
      patiently()
          .until(
              () -> {
                try (HttpClient client = new HttpClient(address)) {
                  return client.get(url).text().equals("fine");
                }
              });
      process.toHandle().destroy();
      List<String> rest = said.lines().toList();
      assertEquals("proxy: stopping, once pending answers have been sent", rest.get(0));
      assertTrue(rest.get(1).startsWith("proxy: connections: "), rest.get(1));
      assertTrue(rest.get(2).startsWith("core "), "no table of cores in " + rest);
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      for (HttpClient client : crowd) {
        client.close();
      }
      process.destroyForcibly();
    }
  }

  private Process start() throws IOException {
    return Programs.server(
        DESCRIPTORS,
        folder.resolve("err"),
        "proxy",
        "--port=0",
        "--cores=2",
        "--cache-size=8MiB",
        "--connect-ports=443,8443",
        "--allow=127.0.0.0/8");
  }

  private int run(String... args) {
    CommandLine command = CommandLineAccess.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port 65536 | port must be 0 to 65535, but is 65536",
        "--cores 0 | cores must be 1 to 1024, but is 0",
        "--max-clients 0 | max-clients must be 1 to",
        "--cache-size much | 'much' is not a size such as 200MB",
        "--max-object 2GiB | max-object must be 0 to",
        "--connect-timeout 0 | connect timeout in ms must be 1 to",
        "--response-timeout 0 | response timeout in ms must be 1 to",
        "--idle-timeout 0 | idle timeout in ms must be 1 to",
        "--drain-timeout -1 | drain timeout in ms must be 0 to",
        "--connect-ports 443,0 | connect-ports must be 1 to 65535, but is 0",
        "--allow localhost | 'localhost' is neither an address such as 10.1.2.3 or fd00::1 nor a range",
        "--allow 10.0.0.0/33 | '10.0.0.0/33' is neither an address",
        "--allow 10.0.0.0/ | '10.0.0.0/' is neither an address",
        "--deny 127.1 | '127.1' is neither an address",
        "--deny fe80::1%eth0 | 'fe80::1%eth0' is neither an address",
        "--policy fast | unknown steal policy 'fast'",
        "--bind no.such.host.invalid | bind address 'no.such.host.invalid' is not known here"
      })
  void aWrongOptionIsNamed(String options, String message) {
    assertEquals(2, run(("proxy " + options).split(" ")));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals(2, err.toString().lines().count(), err.toString());
  }

  @Test
  void aTakenPortIsNamed() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      assertEquals(1, run("proxy", "--port", "" + taken.getLocalPort()));
      String expected = "proxy: cannot listen on 127.0.0.1:" + taken.getLocalPort() + ": ";
      assertTrue(err.toString().startsWith(expected), err.toString());
    }
  }

  @Test
  void helpNamesTheOptions() {
    assertEquals(0, run("proxy", "--help"));
    for (String option :
        List.of(
            "--port",
            "--bind",
            "--cache-size",
            "--connect-ports",
            "--allow",
            "--deny",
            "--drain-timeout")) {
      assertTrue(out.toString().contains(option), option);
    }
  }
}
