package dev.mely.examples.sws;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.mely.examples.sws.hostile.TrickTexts;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@link HostileInput} with generated inputs: {@code -Dmely.fuzz.inputs} of them, beginning at
 * {@code -Dmely.fuzz.seed}.
 */
class HostileInputTest {
  private static final int INPUTS = Integer.getInteger("mely.fuzz.inputs", 10_000);
  private static final long SEED = Long.getLong("mely.fuzz.seed", 1);

  private static final List<String> WORDS =
      List.of(
          "/",
          "//",
          ".",
          "..",
          "%2e",
          "%2F",
          "%5c",
          "%00",
          "%c0%ae",
          "%",
          "?",
          "#",
          "a",
          "http://",
          "https://",
          "h:80",
          "[::1]",
          "@",
          "\\",
          "bytes=",
          "0",
          "-",
          "1",
          ",",
          "9999999999999999999",
          "lines=",
          "*",
          "\"",
          "W/",
          "Sun, 06 Nov 1994 08:49:37 GMT",
          "Sunday, 06-Nov-94 08:49:37 GMT",
          "Sun Nov  6 08:49:37 1994",
          "99",
          ":",
          " ",
          "\t",
          "\r\n",
          "\n",
          "\r",
          "\0",
          "\u00ff");

  /** One for each parser, and every trick. */
  static List<byte[]> seeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (String text : List.of("\0/a/%2e%2e/b?c", "\1bytes=0-99", "\2\"x\", W/\"y\"")) {
      seeds.add(text.getBytes(StandardCharsets.ISO_8859_1));
    }
    for (String trick : TrickTexts.all()) {
      seeds.add(("\3" + trick).getBytes(StandardCharsets.ISO_8859_1));
    }
    return seeds;
  }

  @Test
  void generatedInputs() {
    List<byte[]> seeds = seeds();
    for (byte[] seed : seeds) {
      HostileInput.check(seed);
    }
    System.out.println("generated inputs: -Dmely.fuzz.seed=" + SEED);
    for (int i = 0; i < INPUTS; i++) {
      byte[] input = generate(new SplittableRandom(SEED + i), seeds);
      try {
        HostileInput.check(input);
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dmely.fuzz.inputs=1 -Dmely.fuzz.seed=" + (SEED + i), e);
      }
    }
  }

  /** Words in a row, or a seed in which something is cut out, put in, or changed. */
  private static byte[] generate(SplittableRandom random, List<byte[]> seeds) {
    StringBuilder text = new StringBuilder();
    if (random.nextInt(3) > 0) {
      text.append((char) random.nextInt(3));
      for (int n = random.nextInt(1, 12); n > 0; n--) {
        text.append(WORDS.get(random.nextInt(WORDS.size())));
      }
    } else {
      byte[] seed = seeds.get(random.nextInt(seeds.size()));
      text.append(new String(seed, StandardCharsets.ISO_8859_1));
    }
    for (int n = random.nextInt(4); n > 0; n--) {
      int at = random.nextInt(1, text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.insert(at, WORDS.get(random.nextInt(WORDS.size())));
        case 1 -> text.setCharAt(at, (char) random.nextInt(256));
        case 2 -> text.deleteCharAt(at).append(' ');
        default -> text.setLength(at + 1);
      }
    }
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  /** For any names, an opened file lies in the folder. */
  @Test
  @DisabledOnOs(OS.WINDOWS)
  void noNamesLeadOut(@TempDir Path temporary) throws IOException {
    Path root = Files.createDirectories(temporary.resolve("root"));
    Path outside = Files.createDirectories(temporary.resolve("outside/a/b"));
    for (Path directory = outside; directory.startsWith(temporary); ) {
      Files.writeString(directory.resolve("c.txt"), "foreign");
      directory = directory.getParent();
    }
    for (String directory : List.of("", "a", "a/b")) {
      Files.createDirectories(root.resolve(directory));
      Files.writeString(root.resolve(directory).resolve("c.txt"), "fine");
    }
    Path abroad = temporary.resolve("outside");
    for (String directory : List.of("", "a", "a/b")) {
      Path at = root.resolve(directory);
      Files.createSymbolicLink(at.resolve("out"), abroad);
      Files.createSymbolicLink(at.resolve("up"), Path.of(".."));
      Files.createSymbolicLink(at.resolve("in"), root.resolve("a"));
      Files.createSymbolicLink(at.resolve("loop"), Path.of("loop"));
      Files.createSymbolicLink(at.resolve("back"), Path.of("../root"));
      Files.createSymbolicLink(at.resolve("link.txt"), abroad.resolve("c.txt"));
    }
    List<String> alphabet =
        List.of("a", "b", "c.txt", "out", "up", "in", "loop", "back", "link.txt", "..", ".", "");
    SplittableRandom random = new SplittableRandom(SEED);
    System.out.println("generated names: -Dmely.fuzz.seed=" + SEED);
    int files = 0;
    try (ServedFolder folder = ServedFolder.open(root)) {
      for (int i = 0; i < 20_000; i++) {
        List<String> names = new ArrayList<>();
        for (int n = random.nextInt(5); n > 0; n--) {
          names.add(alphabet.get(random.nextInt(alphabet.size())));
        }
        try (ServedFolder.Node node = folder.open(names)) {
          if (node instanceof ServedFolder.OpenFile file) {
            byte[] content = new byte[(int) file.info().size()];
            file.channel().read(java.nio.ByteBuffer.wrap(content));
            assertEquals("fine", new String(content, StandardCharsets.US_ASCII), "" + names);
            files++;
          }
        } catch (IOException | Refusal refused) {
          continue;
        }
      }
      assertTrue(files > 100, "files found: " + files);
      assertThrows(Refusal.class, () -> folder.open(List.of("..", "outside", "c.txt")));
      assertThrows(Refusal.class, () -> folder.open(List.of("a/../../outside/c.txt")));
      assertThrows(Refusal.class, () -> folder.open(List.of("/etc/passwd")));
    }
  }
}
