package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.Main;
import java.io.BufferedReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Names outside of ASCII, in a process of each locale. */
@EnabledOnOs(OS.LINUX)
class FileNameTest {
  /** A path by its bytes, in any locale of this process. */
  private static Path path(Path folder, String name) {
    return Path.of(URI.create("file://" + folder.toUri().getRawPath() + name));
  }

  @ParameterizedTest
  @ValueSource(strings = {"caf\u00e9", "\u65e5\u672c", "\ud83d\ude00 x", "a?b%c", "\ufffd"})
  void thereAndBack(String name) {
    assertEquals(name, FileName.text(FileName.path(name)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "..", "/", "\u00e9/", "../\u00e9", "a/b", "\u00e9\u0000", "\ud800"})
  void noNames(String name) {
    assertThrows(InvalidPathException.class, () -> FileName.path(name));
  }

  @ParameterizedTest
  @CsvSource({
    "C, sws --transport=nio",
    "C, sws --cores=1 --prebuilt-mib=0",
    "C, sws-core",
    "C, sws-core --coloring=2003",
    "C.UTF-8, sws",
    "POSIX, sws-core --cores=1",
  })
  void servedAndListed(String locale, String command, @TempDir Path root) throws Exception {
    Files.writeString(path(root, "caf%C3%A9.txt"), "small");
    Files.write(path(root, "gro%C3%9F.bin"), new byte[200_000]);
    Files.createDirectory(path(root, "%E6%97%A5"));
    Files.writeString(path(root, "%E6%97%A5/i.txt"), "below");
    Files.createSymbolicLink(path(root, "li%C3%ABn"), path(root, "caf%C3%A9.txt"));
    Files.writeString(path(root, "latin%E9"), "no URL leads here");
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.addAll(List.of("-Duser.language=tr", "-cp", System.getProperty("java.class.path")));
    line.add(Main.class.getName());
    line.addAll(Arrays.asList(command.split(" ")));
    line.addAll(List.of("--port=0", "--root=" + root));
    ProcessBuilder builder =
        new ProcessBuilder(line).redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().put("LC_ALL", locale);
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      String url = first.replaceFirst(".* at (http://\\S+) with .*", "$1");
      assertEquals("small", get(url + "caf%C3%A9.txt").body());
      assertEquals("small", get(url + "li%C3%ABn").body());
      assertEquals(200_000, get(url + "gro%C3%9F.bin").body().length());
      assertEquals("below", get(url + "%E6%97%A5/i.txt").body());
      assertEquals(301, get(url + "%E6%97%A5").statusCode());
      assertEquals(404, get(url + "caf%C3%A8.txt").statusCode());
      assertEquals(400, get(url + "latin%E9").statusCode());
      String page = get(url).body();
      for (String name : List.of("caf%C3%A9.txt", "gro%C3%9F.bin", "%E6%97%A5/", "li%C3%ABn")) {
        assertTrue(page.contains("href=\"./" + name + "\""), page);
        assertEquals(200, get(url + name).statusCode());
      }
      assertTrue(page.contains(">caf\u00e9.txt<"), page);
      assertFalse(page.contains("latin"), page);
    } finally {
      process.destroyForcibly();
    }
  }

  private static HttpResponse<String> get(String url) throws Exception {
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(URI.create(url)).build(), BodyHandlers.ofString());
  }

  @Test
  void aRootThatTheLocaleCannotName(@TempDir Path folder) throws Exception {
    Path root = Files.createDirectory(path(folder, "caf%C3%A9"));
    ProcessBuilder builder =
        new ProcessBuilder(
                "sh",
                "-c",
                "exec \"$0\" -cp \"$1\" dev.mely.examples.Main sws --port=0 --root=\"$(echo "
                    + folder
                    + "/caf*)\"",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                System.getProperty("java.class.path"))
            .redirectErrorStream(true);
    builder.environment().put("LC_ALL", "C");
    Process process = builder.start();
    try (BufferedReader out = process.inputReader()) {
      String all = String.join("\n", out.lines().toList());
      assertEquals(2, process.waitFor(), all);
      assertTrue(all.contains("LC_ALL=C.UTF-8"), all);
    } finally {
      process.destroyForcibly();
      Files.delete(root);
    }
  }
}
