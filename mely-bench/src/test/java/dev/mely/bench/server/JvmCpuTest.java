package dev.mely.bench.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JvmCpuTest {
  @TempDir private Path tasks;

  private void thread(int id, String name, int user, int kernel) throws IOException {
    Files.writeString(
        Files.createDirectory(tasks.resolve(Integer.toString(id))).resolve("stat"),
        String.format(
            "%d (%s) S 1 1 1 0 -1 4194368 5 0 0 0 %d %d 77 88 20 0 19 0 1 2 3\n",
            id, name, user, kernel));
  }

  /** As the kernel writes them: cut after 15 letters, and any sign may be in a name. */
  @Test
  void knowsThreadsByTheirNames() throws IOException {
    thread(1, "java", 900, 90);
    thread(2, "C1 CompilerThre", 3, 1);
    thread(3, "C2 CompilerThre", 50, 5);
    thread(4, "C2 CompilerThre", 7, 0);
    thread(5, "GC Thread#0", 10, 1);
    thread(6, "G1 Conc#0", 20, 2);
    thread(7, "loop (1) C2", 400, 40);
    thread(8, "VM Thread", 30, 3);
    Files.createDirectory(tasks.resolve("9")); // has ended meanwhile
    assertEquals(new JvmCpu(40_000_000, 620_000_000, 330_000_000), JvmCpu.of(tasks));
  }

  @Test
  void saysWhatItDoesNotKnow() throws IOException {
    assertFalse(JvmCpu.of(tasks.resolve("none")).isKnown());
    thread(1, "nginx", 9, 9);
    JvmCpu unknown = JvmCpu.of(tasks);
    assertEquals(JvmCpu.UNKNOWN, unknown);
    assertEquals(JvmCpu.UNKNOWN, new JvmCpu(1, 2, 3).since(unknown));
    assertTrue(Double.isNaN(unknown.compilers()));
    Map<String, Double> sample = new HashMap<>();
    unknown.addTo(sample, 1_000);
    assertEquals(Map.of(), sample);
  }

  @Test
  void findsTheCompilersOfThisJvm() {
    Path self = Path.of("/proc/self/task");
    assumeTrue(Files.isDirectory(self));
    assertTrue(JvmCpu.of(self).isKnown());
  }
}
