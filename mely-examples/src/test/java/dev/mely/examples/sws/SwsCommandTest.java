package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.StealPolicy;
import dev.mely.examples.CommandLineAccess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What the command line says, and its exit codes; a whole run is the jar's test. */
class SwsCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine command = CommandLineAccess.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(args);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "--policy fast | unknown steal policy 'fast' in 'fast'; known: off, base, locality, time-left,",
        "--transport tcp | unknown transport 'tcp': use one of auto, nio, epoll",
        "--root /does/not/exist | root '/does/not/exist' does not exist",
        "--root= | root is empty; the current folder is '.'",
        "--prebuilt-mib 1000000000 | prebuilt MiB must be 0 to ",
        "--prebuilt-mib -1 | prebuilt MiB must be 0 to ",
        "--port 65536 | port must be 0 to 65535, but is 65536",
        "--port http | 'http' is not an int",
        "--cores 0 | cores must be 1 to 1024, but is 0",
        "--max-clients 0 | max-clients must be 1 to 2147483647, but is 0",
        "--idle-timeout 0 | idle timeout in ms must be 1",
        "--bind no.such.host.invalid | bind address 'no.such.host.invalid' is not known here",
        "--colors red | Unknown option",
      })
  void aWrongOptionIsNamed(String options, String message) {
    String[] args = ("sws --port 0 " + options).split(" ", -1);
    if (options.startsWith("--port")) {
      args = ("sws " + options).split(" ", -1);
    }
    assertEquals(2, run(args));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals(2, err.toString().lines().count(), err.toString());
  }

  @Test
  void aFileIsNoRoot(@TempDir Path folder) throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    assertEquals(2, run("sws", "--root", file.toString()));
    assertTrue(err.toString().contains("root '" + file + "' is not a directory"), err.toString());
  }

  @Test
  void aTakenPortIsNamed(@TempDir Path root) throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      int port = taken.getLocalPort();
      for (String transport : new String[] {"nio", "auto"}) {
        int code =
            run("sws", "--root", root.toString(), "--port", "" + port, "--transport", transport);
        assertEquals(1, code);
        String expected = "sws: cannot listen on 127.0.0.1:" + port + ": ";
        assertTrue(err.toString().startsWith(expected), err.toString());
        assertTrue(err.toString().contains("in use"), err.toString());
        err.getBuffer().setLength(0);
      }
    }
  }

  @Test
  void helpAndVersion() {
    assertEquals(0, run("sws", "--help"));
    for (String option :
        new String[] {"--port", "--root", "--cores", "--transport", "--policy", "--max-clients"}) {
      assertTrue(out.toString().contains(option), option);
    }
    assertEquals(0, run("--version"));
    assertEquals(0, run("--help"));
    assertEquals(2, run());
    assertTrue(err.toString().contains("Name an example to run"), err.toString());
  }

  @Test
  void everyTransportHasAName() {
    for (Transport transport : Transport.values()) {
      assertEquals(transport, new SwsCommand.TransportConverter().convert(transport.toString()));
    }
  }

  @ParameterizedTest
  @CsvSource({"NIO, nio", "AUTO, ''"})
  void theStartUpLineSaysWhatRuns(Transport transport, String name, @TempDir Path root)
      throws Exception {
    Files.writeString(root.resolve("index.html"), "x");
    SwsConfig config =
        new SwsConfig(root).port(0).cores(1).transport(transport).policy(StealPolicy.OFF);
    try (SwsServer server = SwsServer.start(config)) {
      String line = server.description();
      assertTrue(line.contains("serving " + root + " at http://127.0.0.1:"), line);
      assertTrue(line.contains(":" + server.address().getPort() + "/ with 1 core, "), line);
      assertTrue(line.contains(name + ", policy off; 2 paths prebuilt"), line);
    }
  }
}
