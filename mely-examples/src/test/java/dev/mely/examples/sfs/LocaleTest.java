package dev.mely.examples.sfs;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.Mely;
import dev.mely.examples.Main;
import dev.mely.examples.sws.FileName;
import dev.mely.nio.Nio;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Names beyond ASCII, for different locales of server and client. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class LocaleTest {
  private static final String COMPOSED = "\u00fc";
  private static final String DECOMPOSED = "u\u0308";
  private static final String ASTRAL = "\ud83d\ude00 100%";
  private static final String CONTROL = "a\n\u001b[31m\u202e\ufffd";

  @TempDir private Path temporary;
  private Path root;

  private static ProcessBuilder program(String locale, List<String> options, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("LC_") || name.equals("LANG"));
    environment.put("LC_ALL", locale);
    return builder;
  }

  private Process serve(Identity self, String locale, List<String> options) throws IOException {
    root = Files.createDirectories(temporary.resolve("root"));
    Identity.generate().save(temporary.resolve("server.key"));
    Files.writeString(temporary.resolve("clients"), self.id() + " rw\n");
    return program(
            locale,
            options,
            "sfs",
            "serve",
            "--port=0",
            "--root=" + root,
            "--key=" + temporary.resolve("server.key"),
            "--clients=" + temporary.resolve("clients"))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private Path file(String... names) {
    Path path = root;
    for (String name : names) {
      path = path.resolve(FileName.path(name));
    }
    return path;
  }

  @ParameterizedTest
  @ValueSource(strings = {"C", "C.UTF-8"})
  void namesAreServed(String locale) throws Exception {
    Identity self = Identity.generate();
    Process process = serve(self, locale, List.of("-XX:ActiveProcessorCount=1"));
    try (BufferedReader said = process.inputReader();
        Nio nio = Nio.start(Mely.builder().cores(1).pinned(false))) {
      RemotePath at = RemotePath.parse(said.readLine().replaceFirst(".* at (\\S+) with .*", "$1"));
      List<String> names =
          List.of(CONTROL, DECOMPOSED, COMPOSED, ASTRAL).stream().sorted().toList();
      for (String name : names) {
        Files.writeString(file(name), name);
      }
      try (SfsClient client =
          SfsClient.connect(nio, at, self, RekeyRule.DEFAULT, SfsSite.PATIENCE)) {
        assertEquals(names, client.list("").stream().map(SfsClient.Entry::name).toList());
        Transfers transfers = new Transfers(client);
        for (String name : names) {
          Progress progress = new Progress(name, null, false);
          Path copy = temporary.resolve(FileName.path(name));
          transfers.get(name, copy, progress);
          assertEquals(name, Files.readString(copy, StandardCharsets.UTF_8));
          transfers.put(copy, "copy" + name, progress);
          assertArrayEquals(Files.readAllBytes(copy), Files.readAllBytes(file("copy" + name)));
          client.rename("copy" + name, name + "2");
          client.remove(name + "2");
        }
        Files.createDirectory(file("d" + COMPOSED));
        Files.createSymbolicLink(file("link"), file("d" + COMPOSED));
        client.open("link/" + DECOMPOSED, Message.WRITE).close(0);
        assertTrue(Files.exists(file("d" + COMPOSED, DECOMPOSED)));
        SfsException absent = assertThrows(SfsException.class, () -> client.stat("d" + DECOMPOSED));
        assertEquals(Status.NOT_FOUND, absent.status());
      }
    } finally {
      process.destroy();
      assertEquals(143, process.waitFor());
    }
  }

  @Test
  void aTerminalThatCannotShowThemIsTold() throws Exception {
    Identity self = Identity.generate();
    self.save(temporary.resolve("client.key"));
    Process process = serve(self, "C.UTF-8", List.of("-Duser.language=tr", "-Duser.country=TR"));
    try (BufferedReader said = process.inputReader()) {
      String url = said.readLine().replaceFirst(".* at (\\S+) with .*", "$1");
      Files.writeString(file(CONTROL), "1");
      Files.writeString(file("plain"), "1");
      String key = "--key=" + temporary.resolve("client.key");
      String capable = output(program("C.UTF-8", List.of(), "sfs", "ls", key, url));
      assertTrue(capable.contains("Z a??[31m?\ufffd\n"), capable);
      String plain = output(program("C", List.of(), "sfs", "ls", key, url + "plain"));
      assertTrue(plain.endsWith(" plain\n"), plain);
      String unable = output(program("C", List.of(), "sfs", "ls", key, url));
      assertTrue(unable.contains("set LC_ALL=C.UTF-8"), unable);
      // The bytes of the argument, as they are, not as this process would convert them.
      Path script = temporary.resolve("get.sh");
      Files.writeString(script, "exec \"$@\" '" + url + COMPOSED + "'\n", StandardCharsets.UTF_8);
      ProcessBuilder get = program("C", List.of(), "sfs", "get", key);
      get.command().addAll(0, List.of("sh", script.toString()));
      String refused = output(get);
      assertTrue(refused.contains("set LC_ALL=C.UTF-8"), refused);
    } finally {
      process.destroy();
      assertEquals(143, process.waitFor());
    }
  }

  private static String output(ProcessBuilder program) throws Exception {
    Process process = program.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return said;
  }
}
