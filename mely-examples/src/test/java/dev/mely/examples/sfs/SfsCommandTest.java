package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.CommandLineAccess;
import dev.mely.examples.Main;
import dev.mely.examples.SizeConverter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** The commands, as a user gives them. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class SfsCommandTest {
  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine command = CommandLineAccess.commandLine();
    command.setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(args);
  }

  private String file(String name) {
    return folder.resolve(name).toString();
  }

  private void keys() throws IOException {
    assertEquals(0, run("sfs", "keygen", file("server.key")), err.toString());
    assertEquals(0, run("sfs", "keygen", file("client.key")), err.toString());
    Files.writeString(folder.resolve("clients"), "# all\n" + out.toString().strip() + " rw me\n");
    Files.createDirectories(folder.resolve("root"));
  }

  @Test
  void aKeyIsMadeOnceAndIsItsOwnersAlone() throws Exception {
    assertEquals(0, run("sfs", "keygen", file("k")));
    String printed = out.toString();
    assertEquals(
        "rw-------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("k"))));
    assertEquals(0, run("sfs", "keygen", "--show", file("k")));
    assertEquals(printed, out.toString());
    assertEquals(1, run("sfs", "keygen", file("k")));
    assertTrue(err.toString().contains("not overwritten"), err.toString());
    Files.writeString(
        folder.resolve("k"),
        Files.readString(folder.resolve("k"))
            .replace(printed.strip(), Identity.generate().id().toString()));
    assertEquals(1, run("sfs", "keygen", "--show", file("k")));
    assertTrue(err.toString().contains("do not belong together"), err.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--port 65536 | port must be 0 to 65535, but is 65536",
        "--port x | 'x' is not an int",
        "--root /does/not/exist | root '/does/not/exist' does not exist",
        "--policy fast | unknown steal policy 'fast'",
        "--cores 9999 | cores must be 0 to 1024",
        "--max-clients 0 | max-clients must be 1",
        "--idle-timeout 0 | timeout in ms must be 1",
        "--lease 0 | lease in ms must be 1",
        "--bind no.such.host.invalid | bind address 'no.such.host.invalid' is not known here",
        "--colors red | Unknown option",
      })
  void aWrongOptionIsNamed(String options, String message) throws Exception {
    keys();
    List<String> args =
        new ArrayList<>(
            List.of("sfs", "serve", "--key", file("server.key"), "--clients", file("clients")));
    args.addAll(List.of(options.split(" ")));
    assertEquals(2, run(args.toArray(String[]::new)));
    assertTrue(err.toString().contains(message), err.toString());
    assertEquals(2, err.toString().lines().count(), err.toString());
  }

  @Test
  void wrongFilesAreNamed() throws Exception {
    keys();
    Files.writeString(folder.resolve("bad"), "hello");
    String root = file("root");
    String key = file("server.key");
    assertEquals(
        1, run("sfs", "serve", "--root", root, "--key", file("no"), "--clients", file("clients")));
    assertTrue(err.toString().contains("there is no key file"), err.toString());
    assertEquals(
        1, run("sfs", "serve", "--root", root, "--key", file("bad"), "--clients", file("clients")));
    assertTrue(err.toString().contains("not a key file"), err.toString());
    assertEquals(1, run("sfs", "serve", "--root", root, "--key", key, "--clients", file("bad")));
    assertTrue(err.toString().contains("line 1: "), err.toString());
    assertEquals(
        2,
        run(
            "sfs",
            "serve",
            "--port",
            "0",
            "--root",
            folder.toString(),
            "--key",
            key,
            "--clients",
            file("clients")));
    assertTrue(err.toString().contains("lies in the folder to be served"), err.toString());
    assertEquals(2, run("sfs"));
    assertEquals(2, run("sfs", "ls", "sfs://short@host/"));
    assertEquals(2, run("sfs", "ls", "http://host/"));
    assertEquals(2, run("sfs", "bench", "--size", "many"));
    for (String command : List.of("serve", "keygen", "ls", "get", "put", "mv", "rm", "bench")) {
      assertEquals(0, run("sfs", command, "--help"));
      assertTrue(out.toString().contains("--help"), out.toString());
    }
  }

  @Test
  void pathsAreReadAndWritten() {
    String key = Identity.generate().id().toString();
    RemotePath path = RemotePath.parse("sfs://" + key + "@[::1]:77/a b/c@d:e/");
    assertEquals("::1", path.host());
    assertEquals(77, path.port());
    assertEquals("a b/c@d:e", path.path());
    assertEquals("c@d:e", path.name());
    assertEquals("sfs://" + key + "@[::1]:77/a b/c@d:e", path.toString());
    assertEquals(4430, RemotePath.parse("sfs://" + key + "@host").port());
    for (String wrong : List.of("@h:0/", "@h:65536/", "@/x", "x@h/", "@a:b/", "")) {
      assertThrows(IllegalArgumentException.class, () -> RemotePath.parse("sfs://" + key + wrong));
    }
  }

  @Test
  void sizesHaveUnits() throws Exception {
    SizeConverter size = new SizeConverter();
    assertEquals(200_000_000, size.convert("200MB"));
    assertEquals(65_536, size.convert("64KiB"));
    assertEquals(1 << 30, size.convert("1G" + "iB"));
    assertEquals(17, size.convert("17"));
    assertEquals(1000, size.convert("1kB"));
  }

  @Test
  void theBenchmarkStartsAServerOfItsOwn() {
    assertEquals(0, run("sfs bench --clients 3 --size 300kB --cores 2 --policy off".split(" ")));
    List<String> lines = out.toString().lines().toList();
    assertTrue(lines.get(0).contains("@127.0.0.1:"), lines.get(0));
    assertTrue(lines.get(0).contains(" with 2 cores, policy off; "), lines.get(0));
    assertTrue(lines.get(1).startsWith("sfs: 3 clients read 300,000 bytes each: "), lines.get(1));
    assertTrue(lines.get(lines.size() - 1).startsWith("all "), out.toString());
  }

  /** A whole life: start, all commands, a signal, the table. */
  @Test
  void startServeStop() throws Exception {
    keys();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "sfs",
                "serve",
                "--port=0",
                "--cores=1",
                "--root=" + file("root"),
                "--key=" + file("server.key"),
                "--clients=" + file("clients"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader said = process.inputReader()) {
      String first = said.readLine();
      assertTrue(first.startsWith("sfs: serving " + file("root") + " at sfs://"), first);
      String url = first.replaceFirst(".* at (sfs://\\S+) with .*", "$1");
      assertTrue(url.matches("sfs://[\\w-]{43}@127\\.0\\.0\\.1:\\d+/"), url);
      String key = "--key=" + file("client.key");
      byte[] content = SfsSite.bytes(200_000, 5);
      Files.write(folder.resolve("f"), content);
      assertEquals(0, run("sfs", "put", key, "--progress", file("f"), url), err.toString());
      assertTrue(err.toString().contains("100% [="), err.toString());
      assertEquals(0, run("sfs", "ls", key, url), err.toString());
      assertTrue(out.toString().matches("- +200000 \\S+Z f\n"), out.toString());
      assertEquals(0, run("sfs", "mv", key, url + "f", "/g"), err.toString());
      assertEquals(0, run("sfs", "get", key, "--no-progress", url + "g", file("")), err.toString());
      assertEquals("", err.toString());
      assertArrayEquals(content, Files.readAllBytes(folder.resolve("g")));
      assertEquals(
          0, run("sfs", "bench", key, "--clients=2", "--size=100kB", url + "g"), err.toString());
      assertEquals(0, run("sfs", "rm", key, url + "g"), err.toString());
      assertEquals(1, run("sfs", "get", key, url + "g"));
      assertTrue(err.toString().contains("There is no such file"), err.toString());
      assertFalse(Files.exists(folder.resolve("root/g")));

      int port = RemotePath.parse(url).port();
      try (Socket silent = new Socket("127.0.0.1", port)) { // holds nothing up
        assertTrue(silent.isConnected());
        process.toHandle().destroy();
        List<String> rest = said.lines().toList();
        assertEquals("sfs: stopping, once pending answers have been sent", rest.get(0));
        assertTrue(
            rest.get(1).startsWith("sfs: clients: 8 served, 0 turned away; requests: "),
            rest.get(1));
        assertTrue(rest.get(rest.size() - 1).startsWith("all "), "no table of cores in " + rest);
      }
      assertTrue(process.waitFor(120, TimeUnit.SECONDS));
      assertEquals(143, process.exitValue(), "killed by SIGTERM");
    } finally {
      process.destroyForcibly();
    }
  }
}
