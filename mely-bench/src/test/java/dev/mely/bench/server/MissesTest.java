package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.mely.bench.server.MissesCommand.Modeled;
import dev.mely.bench.sim.SetCache;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(300)
class MissesTest {
  @TempDir private Path directory;

  private final SetCache cache = new SetCache(1 << 20, 16);
  private final Trace trace = new Trace(List.of(cache));
  private final TracingAllocator allocator =
      new TracingAllocator(PooledByteBufAllocator.DEFAULT, trace);

  @BeforeEach
  void addresses() {
    assumeTrue(TracingAllocator.canTrace(PooledByteBufAllocator.DEFAULT), "Netty has addresses");
  }

  private long bytes() {
    return trace.counts()[0];
  }

  @Test
  void tellsWhatIsReadAndWritten() {
    ByteBuf buffer = allocator.directBuffer(1024);
    try {
      assertEquals(0, bytes());
      buffer.writeLong(7).writeByte(1);
      assertEquals(9, bytes());
      assertEquals(7, buffer.readLong());
      assertEquals(17, bytes());
      buffer.writeBytes(new byte[100]);
      assertEquals(117, bytes());
      buffer.slice(20, 30).getBytes(0, new byte[30]);
      assertEquals(147, bytes());
    } finally {
      buffer.release();
    }
    assertEquals(147, bytes(), "nobody has asked for a view");
    assertTrue(cache.misses() >= 2 && cache.misses() <= 3, "109 bytes, and once each");
  }

  @Test
  void whatAViewIsForShowsByTheReaderIndexAndTheRelease() {
    ByteBuf buffer = allocator.directBuffer(1024).writeZero(1000);
    long written = bytes();
    assertEquals(1000, buffer.nioBuffer().remaining());
    assertEquals(written, bytes(), "not yet");
    buffer.skipBytes(300);
    assertEquals(written + 300, bytes());
    buffer.release();
    assertEquals(written + 1000, bytes());
  }

  @Test
  void aBufferThatMovesIsCopied() {
    ByteBuf buffer = allocator.directBuffer(64, 1 << 20).writeZero(64);
    buffer.capacity(1 << 18);
    assertTrue(bytes() >= 64 + 64 + 64);
    assertEquals(0, buffer.getLong(56));
    buffer.release();
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
    String table =
        MissesCommand.table(
            List.of(
                new Modeled("a", Setting.STOCK_POOLED, 100, List.of(0.0, 8.0, 10.0)),
                new Modeled("a", Setting.STINGY_BOUND, 100, List.of(0.0, 2.0, 15.0))));
    String line = table.lines().filter(l -> l.contains("stingy")).findFirst().orElseThrow();
    assertEquals(
        List.of("a stingy-bound", "100", "0.0", "–", "2.0", "-75 %", "15.0", "+50 %"),
        List.of(line.substring(1).strip().split("\\s*\\|\\s*")));
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
