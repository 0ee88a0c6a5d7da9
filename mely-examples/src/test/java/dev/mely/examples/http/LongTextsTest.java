package dev.mely.examples.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

/** What a grammar lets repeat is read on a small stack, however often it is repeated. */
class LongTextsTest {
  private static <T> T onSmallStack(Callable<T> what) throws Exception {
    FutureTask<T> task = new FutureTask<>(what);
    Thread thread = new Thread(null, task, "small stack", 128 * 1024);
    thread.start();
    thread.join();
    return task.get();
  }

  @Test
  void extensions() throws Exception {
    for (String extension : new String[] {";a", " ; a = \"b\\\"c\"", ";a=b"}) {
      String line = "1" + extension.repeat(4_000 / extension.length());
      assertEquals(1, onSmallStack(() -> ChunkSizes.ofRequest().next(line)));
      assertThrows(Malformed.class, () -> ChunkSizes.ofRequest().next(line + ";"));
    }
    String quoted = "1;a=\"" + "\\b ".repeat(1_300) + '"';
    assertEquals(1, onSmallStack(() -> ChunkSizes.ofRequest().next(quoted)));
  }

  @Test
  void hosts() throws Exception {
    String host = "a%20".repeat(4_000);
    assertEquals(new HostPort(host, 80), onSmallStack(() -> HostPort.parse(host + ":0080")));
    assertNull(onSmallStack(() -> HostPort.parse(host + "%")));
    String zeros = "0".repeat(16_000);
    assertEquals(new HostPort("h", 443), onSmallStack(() -> HostPort.parse("h:" + zeros + "443")));
  }
}
