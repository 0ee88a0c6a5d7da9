package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.bench.Results;
import dev.mely.bench.Score;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(300)
class MissesTest {
  @TempDir private Path directory;

  /** What comes is written and read, and so is what goes, however many pieces it is taken in. */
  @Test
  void tellsWhatIsReadAndWritten() throws Exception {
    assumeTrue(TracedChannel.canTrace(), "Netty has addresses");
    SetCache cache = new SetCache(1 << 20, 16);
    TracedChannel.trace(List.of(cache));
    EventLoopGroup group = Setting.STOCK_POOLED.start(0);
    try {
      Channel server = TracedServer.listen(group, PooledByteBufAllocator.DEFAULT);
      int port = ((InetSocketAddress) server.localAddress()).getPort();
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
        client.getOutputStream().write(1);
        InputStream answer = client.getInputStream();
        for (int left = LargeHandler.BYTES; left > 0; ) {
          left -= answer.readNBytes(Math.min(left, 8_192)).length;
        }
      }
    } finally {
      group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
    assertEquals(2 * (1 + LargeHandler.BYTES), TracedChannel.counts()[0]);
    int lines = LargeHandler.BYTES / SetCache.LINE;
    assertTrue(cache.misses() >= lines && cache.misses() <= lines + 2, "once each");
  }

  @Test
  void theShapeOfTheCache() throws IOException {
    for (int level = 1; level <= 2; level++) {
      Path index = Files.createDirectories(directory.resolve("cache/index" + level));
      Files.writeString(index.resolve("level"), level + "\n");
      Files.writeString(index.resolve("ways_of_associativity"), 4 * level + "\n");
    }
    assertEquals(8, CacheShape.read(1 << 19, directory).ways());
    assertEquals(1 << 19, CacheShape.read(1 << 19, directory).bytes());
    assertTrue(CacheShape.read(-1, directory).source().startsWith("assumed"));
    assertTrue(CacheShape.read(1 << 19, directory.resolve("x")).source().startsWith("assumed"));
    // A half holds half as many lines as it may see without a miss.
    SetCache half = CacheShape.read(1 << 19, directory).share(2);
    for (int i = 0; i < 2; i++) {
      half.touch(0, 1 << 18);
    }
    assertEquals(1 << 12, half.misses());
    half.touch(1 << 18, 64);
    half.touch(0, 64);
    assertEquals((1 << 12) + 2, half.misses());
  }

  @Test
  void tabulatesChanges() {
    Map<String, List<Map<String, Double>>> samples = new LinkedHashMap<>();
    samples.put("a stock-pooled", List.of(sample(0, 8, 10)));
    samples.put("a stingy-bound", List.of(sample(0, 2, 15)));
    Map<String, String> references = Map.of("a stingy-bound", "a stock-pooled");
    Score score = new Score("misses1", "misses/request", 1, 1, false);
    String table =
        MissesCommand.table(new Results("misses", "", score, references, Map.of(), samples));
    String line = table.lines().filter(l -> l.contains("stingy")).findFirst().orElseThrow();
    assertEquals(
        List.of("a stingy-bound", "100", "0.0", "–", "2.0", "-75 %", "15.0", "+50 %"),
        List.of(line.substring(1).strip().split("\\s*\\|\\s*")));
  }

  private static Map<String, Double> sample(double all, double half, double quarter) {
    return Map.of("bytes", 100.0, "misses1", all, "misses2", half, "misses4", quarter);
  }

  @Test
  void modelsServersFromBeginningToEnd() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream usual = System.out;
    System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      int code =
          new CommandLine(new MissesCommand())
              .execute("--connections=3", "--readers=2", "--requests=2", "--time=0.5");
      assertEquals(0, code);
    } finally {
      System.setOut(usual);
    }
    String out = bytes.toString(StandardCharsets.UTF_8);
    assertTrue(out.startsWith("modeled: "), out);
    assertEquals(
        8, out.lines().filter(l -> l.matches("\\| \\d+ (connections|readers) .*")).count());
  }
}
